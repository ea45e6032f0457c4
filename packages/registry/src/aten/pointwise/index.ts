import type { OpRecord } from "../../op.ts";
import { ACTIVATION_OPS } from "./activation.ts";
import { ACTIVATION_COMPOSITE_OPS } from "./activation-composite.ts";
import { ARITHMETIC_OPS } from "./arithmetic.ts";
import { BACKWARD_POINTWISE_OPS } from "./backward.ts";
import { COMPARE_OPS } from "./compare.ts";
import { withComplexRules } from "./complex.ts";
import { FUNCTION_OPS } from "./functions.ts";
import { LOGICAL_OPS } from "./logical.ts";
import { OPAQUE_OPS } from "./opaque.ts";
import { POWER_OPS } from "./power.ts";
import { SPECIAL_OPS } from "./special.ts";
import { UNARY_OPS } from "./unary.ts";

/** Elementwise ops. */
export const POINTWISE_OPS: readonly OpRecord[] = withComplexRules([
  ...UNARY_OPS,
  ...FUNCTION_OPS,
  ...ARITHMETIC_OPS,
  ...POWER_OPS,
  ...COMPARE_OPS,
  ...LOGICAL_OPS,
  ...ACTIVATION_OPS,
  ...ACTIVATION_COMPOSITE_OPS,
  ...BACKWARD_POINTWISE_OPS,
  ...OPAQUE_OPS,
  ...SPECIAL_OPS,
]);
