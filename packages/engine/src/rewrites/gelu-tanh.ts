import { type Arg, argOf, type Node, type Program } from "@pt2/graph";
import { isSameValue, numberOf, textArg } from "./literals.ts";
import { type RewriteContext, type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";

/** 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) = gelu(x, approximate="tanh"): GPT-2 writes it out. */
export function recognizeGelu(program: Program, target: RewriteTarget): Program {
  return rewrite(program, new Map([["aten::mul.Tensor", RULE]]), target);
}

const RULE: RewriteRule = (node, context) => {
  for (const [half, sum] of bothWays(node)) {
    const x = scaledBy(0.5, half, context);
    const tanh = context.definition(plus(1, sum, context));
    const inner =
      tanh?.op === "aten::tanh" ? scaledBy(Math.sqrt(2 / Math.PI), argOf(tanh, "self"), context) : undefined;
    if (x === undefined || inner === undefined || !isCubic(inner, x, context)) continue;
    return context.emit("aten::gelu", { self: x, approximate: textArg("tanh") }, context.tensor(x), node);
  }
  return null;
};

/** x + 0.044715 x^3 */
function isCubic(value: Arg, x: Arg, context: RewriteContext): boolean {
  const sum = context.definition(value);
  if (sum?.op !== "aten::add.Tensor" || argOf(sum, "alpha") !== undefined) return false;
  return bothWays(sum).some(([first, second]) => {
    const power = context.definition(scaledBy(0.044715, second, context));
    if (power?.op !== "aten::pow.Tensor_Scalar" || numberOf(argOf(power, "exponent")) !== 3) return false;
    return isSameValue(first, x) && isSameValue(argOf(power, "self"), x);
  });
}

function bothWays(node: Node): readonly (readonly [Arg | undefined, Arg | undefined])[] {
  const [self, other] = [argOf(node, "self"), argOf(node, "other")];
  return [
    [self, other],
    [other, self],
  ];
}

/** The y of `value = factor * y`. */
function scaledBy(factor: number, value: Arg | undefined, context: RewriteContext): Arg | undefined {
  const node = context.definition(value);
  const found = node?.op === "aten::mul.Tensor" ? numberOf(argOf(node, "other")) : undefined;
  return node !== undefined && found !== undefined && Math.abs(found - factor) < 1e-6 ? argOf(node, "self") : undefined;
}

/** The y of `value = y + term`. */
function plus(term: number, value: Arg | undefined, context: RewriteContext): Arg | undefined {
  const node = context.definition(value);
  return node?.op === "aten::add.Tensor" && numberOf(argOf(node, "other")) === term ? argOf(node, "self") : undefined;
}
