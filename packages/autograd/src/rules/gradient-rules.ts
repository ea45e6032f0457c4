import type { GradientRules } from "../gradient-rule.ts";
import { INDEXING_RULES } from "./indexing.ts";
import { LINALG_RULES } from "./linalg.ts";
import { MATMUL_RULES } from "./matmul.ts";
import { NORM_RULES } from "./norm.ts";
import { POINTWISE_RULES } from "./pointwise.ts";
import { RANDOM_RULES } from "./random.ts";
import { REDUCTION_RULES } from "./reduction.ts";
import { VIEW_RULES } from "./views.ts";
import { WINDOW_RULES } from "./windows.ts";

/** The gradient rules of PyTorch's ops; a rule in the record of an op set takes precedence. */
export const RULES: GradientRules = {
  ...INDEXING_RULES,
  ...LINALG_RULES,
  ...MATMUL_RULES,
  ...NORM_RULES,
  ...POINTWISE_RULES,
  ...WINDOW_RULES,
  ...RANDOM_RULES,
  ...REDUCTION_RULES,
  ...VIEW_RULES,
};
