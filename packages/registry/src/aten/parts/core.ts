import type { OpRecord } from "../../op.ts";
import { COPY_OPS } from "../copy/copy.ts";
import { LINEAR_OPS } from "../matmul/linear.ts";
import { ACTIVATION_OPS } from "../pointwise/activation.ts";
import { ARITHMETIC_OPS } from "../pointwise/arithmetic.ts";
import { FUNCTION_OPS } from "../pointwise/functions.ts";
import { UNARY_OPS } from "../pointwise/unary.ts";
import { SUM_OPS } from "../reduce/sum.ts";
import { SIZE_OPS } from "../symbolic/sizes.ts";
import { copyVariants } from "../view/copy-variants.ts";
import { PERMUTE_OPS } from "../view/permute.ts";
import { RESHAPE_OPS } from "../view/reshape.ts";

/** Ops that nearly every program uses: arithmetic, activations, reshapes, linear layers, means. */
export const coreOps: readonly OpRecord[] = [
  ...ACTIVATION_OPS,
  ...ARITHMETIC_OPS,
  ...FUNCTION_OPS,
  ...COPY_OPS,
  ...LINEAR_OPS,
  ...SUM_OPS,
  ...SIZE_OPS,
  ...UNARY_OPS,
  ...RESHAPE_OPS,
  ...PERMUTE_OPS,
  ...copyVariants([...RESHAPE_OPS, ...PERMUTE_OPS]),
];
