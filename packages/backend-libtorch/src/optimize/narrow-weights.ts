import { argsOf, given, NONE, type RewriteRule, type RewriteRules, rewrite } from "@pt2/engine/rewrites";
import type { DType } from "@pt2/format";
import { type Arg, argOf, type Program } from "@pt2/graph";
import type { OptimizeTarget } from "./target.ts";
import { halfOf, hasManyRows, WIDEN } from "./widened-weight.ts";

/**
 * Computes products and convolutions with fixed float32 weights in bfloat16, on request: half the memory, and twice the
 * speed on CPUs with the instructions for it, with three significant digits. Such CPUs multiply many rows by weights that
 * are bfloat16 in the file so without being asked: PyTorch does.
 */
export function narrowWeights(program: Program, target: OptimizeTarget): Program {
  if (target.weights === "bfloat16") return rewrite(program, RULES, target);
  return target.widened?.get("bfloat16") === "between products" ? rewrite(program, WIDENED, target) : program;
}

const narrowed: RewriteRule = (node, context) => {
  const [input, weight, bias] = [argOf(node, "input"), argOf(node, "weight"), given(node, "bias")];
  const float = [input, weight].every((arg) => context.tensor(arg)?.dtype === "float32");
  if (!float || !context.isFixed(weight) || (bias !== undefined && !context.isFixed(bias))) return null;
  const to = (value: Arg, dtype: DType): Arg => {
    const type = context.tensor(value);
    const args = { self: value, dtype: { kind: "dtype", value: dtype } } as const;
    return context.emit("aten::to.dtype", args, type && { ...type, dtype }, node);
  };
  const rest = argsOf(node);
  const operands = {
    input: to(input!, "bfloat16"),
    weight: to(weight!, "bfloat16"),
    bias: bias === undefined ? NONE : to(bias, "bfloat16"),
  };
  const type = context.tensor(resultOf(node));
  const result = context.emit(node.op, { ...rest, ...operands }, type && { ...type, dtype: "bfloat16" }, node);
  return to(result, "float32");
};

const RULES: RewriteRules = new Map([
  ["aten::linear", narrowed],
  ["aten::conv2d", narrowed],
]);

const WIDENED: RewriteRules = new Map([
  [
    "aten::linear",
    (node, context) => {
      const [input, weight] = [argOf(node, "input"), argOf(node, "weight")];
      const half = weight && hasManyRows(input!, context) ? halfOf(weight, context, node) : null;
      return half?.rounds && context.tensor(half.weight)?.dtype === "bfloat16" ? narrowed(node, context) : null;
    },
  ],
]);

/** to(to(x, float32), bfloat16) = x for an x in bfloat16. */
export function cancelConversions(program: Program, target: OptimizeTarget): Program {
  const narrows = target.weights === "bfloat16" || target.widened?.has("bfloat16") === true;
  return narrows ? rewrite(program, new Map([["aten::to.dtype", canceled]]), target) : program;
}

const canceled: RewriteRule = (node, context) => {
  const widened = argOf(node, "self");
  const before = context.definition(widened);
  const original = before && argOf(before, before.op === WIDEN ? "weight" : "self");
  if (before?.op !== "aten::to.dtype" && before?.op !== WIDEN) return null;
  const isNarrow = [original, resultOf(node)].every((arg) => context.tensor(arg)?.dtype === "bfloat16");
  return isNarrow && context.tensor(widened)?.dtype === "float32" ? (original ?? null) : null;
};

function resultOf({ outputs: [output] }: Parameters<RewriteRule>[0]): Arg | undefined {
  return output?.kind === "value" ? output : undefined;
}
