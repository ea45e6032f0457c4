import type { OpRecord } from "../../op.ts";
import { LINALG_OPS } from "./factor.ts";
import { LU_OPS } from "./lu.ts";
import { ORTHOGONAL_OPS } from "./orthogonal.ts";
import { PSEUDO_INVERSE_OPS } from "./pseudo-inverse.ts";
import { TENSOR_EQUATION_OPS } from "./tensor-equations.ts";

/** Linear algebra beyond products. */
export const LINEAR_ALGEBRA_OPS: readonly OpRecord[] = [
  ...LINALG_OPS,
  ...LU_OPS,
  ...ORTHOGONAL_OPS,
  ...PSEUDO_INVERSE_OPS,
  ...TENSOR_EQUATION_OPS,
];
