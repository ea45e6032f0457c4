import type { OpRecord, TensorMeta } from "@pt2/registry";
import type { Call, GradientRule, Gradients } from "./gradient-rule.ts";
import { complexRuleOf, isComplexCall, ruleOf } from "./rules/gradient-rules.ts";
import { scalarGradient } from "./scalar-gradient.ts";

/**
 * Returns the gradient rule of an op: that of its record, that of this package, or for an elementwise op the one that
 * follows from its expression. Null if it has none: its gradients then are those of its decomposition. Calls with complex
 * numbers among `args` have other rules.
 */
export function gradientRuleOf(record: OpRecord, args: Call["args"] = {}): GradientRule | null {
  const { name, gradient, scalar } = record;
  if (gradient) return gradient.bind(record);
  if (isComplexCall(name, args)) return complexRuleOf(name);
  return ruleOf(name) ?? (scalar === undefined ? null : derived(record));
}

function derived(record: OpRecord): GradientRule {
  return ({ args, results, grads, wants }, b) => {
    const [grad] = grads;
    const [result] = results;
    if (grad === null || grad === undefined || result === undefined) return {};
    const nameOf = (operand: TensorMeta): string | undefined =>
      Object.keys(args).find((name) => args[name] === operand);
    const isWanted = (operand: TensorMeta): boolean => {
      const name = nameOf(operand);
      return name !== undefined && wants(name);
    };
    const found: Record<string, TensorMeta> = {};
    for (const [operand, gradient] of scalarGradient(record, args, { result, grad }, isWanted, b)) {
      // A tensor that is given for two arguments has two gradients, which are added up.
      const name = nameOf(operand)!;
      const before = found[name];
      found[name] = before === undefined ? gradient : b.tensor("aten::add.Tensor", { self: before, other: gradient });
    }
    return found satisfies Gradients;
  };
}
