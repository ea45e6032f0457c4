import type { OpRecord } from "../../op.ts";
import { LEARNABLE_FAKE_QUANTIZE_BACKWARD_OPS } from "../backward/learnable-fake-quantize.ts";
import { SECOND_ORDER_OPS } from "../backward/second-order.ts";
import { COLUMN_OPS } from "../conv/column.ts";
import { FILL_DIAGONAL_OPS } from "../copy/fill-diagonal.ts";
import { BARTLETT_KAISER_OPS } from "../factory/bartlett-kaiser.ts";
import { COSINE_WINDOW_OPS } from "../factory/cosine-windows.ts";
import { HISTOGRAM_OPS } from "../index/histogram.ts";
import { SEARCH_OPS } from "../index/search.ts";
import { SEGMENT_OPS } from "../index/segment.ts";
import { UNIQUE_OPS } from "../index/unique.ts";
import { LINALG_OPS } from "../linalg/factor.ts";
import { LDL_OPS } from "../linalg/ldl.ts";
import { LU_OPS } from "../linalg/lu.ts";
import { ORTHOGONAL_OPS } from "../linalg/orthogonal.ts";
import { PSEUDO_INVERSE_OPS } from "../linalg/pseudo-inverse.ts";
import { TENSOR_EQUATION_OPS } from "../linalg/tensor-equations.ts";
import { GROUPED_OPS } from "../matmul/grouped.ts";
import { MOMENT_OPS } from "../matmul/moments.ts";
import { SCALED_PRODUCT_OPS } from "../matmul/scaled.ts";
import { FAKE_QUANTIZE_OPS } from "../pointwise/fake-quantize.ts";
import { OBSERVED_FAKE_QUANTIZE_OPS } from "../pointwise/observed-fake-quantize.ts";
import { SPECIAL_OPS } from "../pointwise/special.ts";
import { FRACTIONAL_POOL_OPS } from "../pool/fractional-pool.ts";
import { RNN_OPS } from "../rnn/rnn.ts";
import { GRADIENT_ESTIMATE_OPS } from "../shape/gradient.ts";
import { SYNONYM_OPS } from "../shape/synonyms.ts";
import { TRAPEZOID_OPS } from "../shape/trapezoid.ts";
import { MEDIAN_OPS } from "../sort/median.ts";
import { QUANTILE_OPS } from "../sort/quantile.ts";

/** Ops that few inference programs use: linear algebra, random numbers, recurrent layers. */
export const rareOps: readonly OpRecord[] = [
  ...SECOND_ORDER_OPS,
  ...COLUMN_OPS,
  ...FILL_DIAGONAL_OPS,
  ...BARTLETT_KAISER_OPS,
  ...COSINE_WINDOW_OPS,
  ...HISTOGRAM_OPS,
  ...SEARCH_OPS,
  ...SEGMENT_OPS,
  ...UNIQUE_OPS,
  ...LINALG_OPS,
  ...LDL_OPS,
  ...LU_OPS,
  ...ORTHOGONAL_OPS,
  ...PSEUDO_INVERSE_OPS,
  ...TENSOR_EQUATION_OPS,
  ...GROUPED_OPS,
  ...MOMENT_OPS,
  ...SCALED_PRODUCT_OPS,
  ...FAKE_QUANTIZE_OPS,
  ...LEARNABLE_FAKE_QUANTIZE_BACKWARD_OPS,
  ...OBSERVED_FAKE_QUANTIZE_OPS,
  ...SPECIAL_OPS,
  ...FRACTIONAL_POOL_OPS,
  ...RNN_OPS,
  ...GRADIENT_ESTIMATE_OPS,
  ...SYNONYM_OPS,
  ...TRAPEZOID_OPS,
  ...MEDIAN_OPS,
  ...QUANTILE_OPS,
];
