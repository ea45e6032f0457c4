import type { OpName } from "@pt2/graph";
import { NotLoaded } from "@pt2/registry/on-demand";
import type { GradientRule, GradientRules } from "../gradient-rule.ts";
import { INDEXING_RULES } from "./indexing.ts";
import { MATMUL_RULES } from "./matmul.ts";
import { NORM_RULES } from "./norm.ts";
import { POINTWISE_RULES } from "./pointwise.ts";
import { RANDOM_RULES } from "./random.ts";
import { REDUCTION_RULES } from "./reduction.ts";
import { VIEW_RULES } from "./views.ts";
import { WINDOW_RULES } from "./windows.ts";

const RULES: GradientRules = {
  ...INDEXING_RULES,
  ...MATMUL_RULES,
  ...NORM_RULES,
  ...POINTWISE_RULES,
  ...WINDOW_RULES,
  ...RANDOM_RULES,
  ...REDUCTION_RULES,
  ...VIEW_RULES,
};

/** Linear algebra, whose rules are loaded with the first op that needs one. */
const OF_LINALG = /^aten::_?linalg_(inv|solve|(slog)?det|cholesky)/;
let linalg: GradientRules | undefined;

/** Returns the gradient rule of one of PyTorch's ops; a rule in the record of an op set takes precedence. */
export function ruleOf(op: OpName): GradientRule | undefined {
  if (!OF_LINALG.test(op)) return RULES[op];
  if (linalg !== undefined) return linalg[op];
  throw new NotLoaded(`the gradient of ${op}`, async () => {
    linalg = (await import("./linalg.ts")).LINALG_RULES;
  });
}
