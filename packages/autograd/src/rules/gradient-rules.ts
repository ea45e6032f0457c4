import type { OpName } from "@pt2/graph";
import { onDemand } from "@pt2/registry/on-demand";
import { isComplex } from "../differentiable.ts";
import type { Call, GradientRule, GradientRules } from "../gradient-rule.ts";
import { MATMUL_RULES } from "./matmul.ts";
import { NORM_RULES } from "./norm.ts";
import { POINTWISE_RULES } from "./pointwise.ts";
import { RANDOM_RULES } from "./random.ts";
import { REDUCTION_RULES } from "./reduction.ts";
import { VIEW_RULES } from "./views.ts";
import { WINDOW_RULES } from "./windows.ts";

const RULES: GradientRules = {
  ...MATMUL_RULES,
  ...NORM_RULES,
  ...POINTWISE_RULES,
  ...WINDOW_RULES,
  ...RANDOM_RULES,
  ...REDUCTION_RULES,
  ...VIEW_RULES,
};

/** Rules that are loaded with the first op that needs one: many networks have none of these ops. */
const ON_DEMAND: readonly { readonly ops: RegExp; readonly rules: () => GradientRules }[] = [
  {
    ops: /^aten::_?linalg_(inv|solve|(slog)?det|cholesky|matrix_exp)/,
    rules: onDemand("gradients of linear algebra", async () => (await import("./linalg.ts")).LINALG_RULES),
  },
  {
    ops: /^aten::(linalg_(eigh|svd|qr|lu_factor_ex|lu_solve|pinv)|lu_unpack|pinverse)(\.|$)/,
    rules: onDemand(
      "gradients of factorizations",
      async () => (await import("./factorizations.ts")).FACTORIZATION_RULES,
    ),
  },
  {
    ops: /^aten::(embedding|gather|index|\w*scatter|sort|topk|kthvalue|(nan)?median|mode|cummax|cummin|flip)(_|\.|$)|^aten::grid_sampler_/,
    rules: onDemand("gradients of indexing", async () => (await import("./indexing.ts")).INDEXING_RULES),
  },
  {
    ops: /^aten::(special_(i1e?|zeta|[a-z]+_\w+)|igammac?|frexp|histc|segment_reduce)(\.|$)/,
    rules: onDemand("gradients of special functions", async () => (await import("./special.ts")).SPECIAL_RULES),
  },
];
/** Ops that make complex numbers of real ones. */
const TO_COMPLEX: ReadonlySet<OpName> = new Set(["aten::complex", "aten::view_as_complex", "aten::_fft_r2c"]);
const complex = onDemand("gradients of complex numbers", () => import("./complex.ts"));

/** Returns the gradient rule of one of PyTorch's ops; a rule in the record of an op set takes precedence. */
export function ruleOf(op: OpName): GradientRule | undefined {
  return RULES[op] ?? ON_DEMAND.find(({ ops }) => ops.test(op))?.rules()[op];
}

/** Returns whether a call takes or returns complex numbers. */
export function isComplexCall(op: OpName, args: Call["args"]): boolean {
  return TO_COMPLEX.has(op) || Object.values(args).some(isComplex);
}

/** Returns the one for calls with complex numbers; null if gradients then are those of the op's decomposition. */
export function complexRuleOf(op: OpName): GradientRule | null {
  return complex().complexRuleOf(op, ruleOf(op), op in VIEW_RULES);
}
