import { type Arg, argOf, type Node } from "@pt2/graph";
import { isSameValue, numberOf } from "./literals.ts";
import type { RewriteContext, RewriteRule } from "./rewriter.ts";

/** relu6(x + 3) / 6 = hardsigmoid(x), and x * relu6(x + 3) / 6 = hardswish(x) */
export const hardActivation: RewriteRule = (node, context) => {
  if (numberOf(argOf(node, "other")) !== 6 || argOf(node, "rounding_mode") !== undefined) return null;
  const value = argOf(node, "self");
  const gated = shiftedRelu6(value, context);
  if (gated !== undefined) return context.emit("aten::hardsigmoid", { self: gated }, context.tensor(gated), node);
  const product = context.definition(value);
  if (product?.op !== "aten::mul.Tensor") return null;
  const x = factorOf(product, (factor) => shiftedRelu6(factor, context));
  return x === undefined ? null : context.emit("aten::hardswish", { self: x }, context.tensor(x), node);
};

/** x * sigmoid(x) = silu(x) */
export const silu: RewriteRule = (node, context) => {
  const x = factorOf(node, (factor) => {
    const sigmoid = context.definition(factor);
    return sigmoid?.op === "aten::sigmoid" ? argOf(sigmoid, "self") : undefined;
  });
  return context.tensor(x)?.dtype !== "float32"
    ? null
    : context.emit("aten::silu", { self: x! }, context.tensor(x), node);
};

/** The x of `node = x * f(x)`, where `insideOf` finds what f is applied to. */
function factorOf(node: Node, insideOf: (factor: Arg | undefined) => Arg | undefined): Arg | undefined {
  const [self, other] = [argOf(node, "self"), argOf(node, "other")];
  if (isSameValue(insideOf(other), self)) return self;
  return isSameValue(insideOf(self), other) ? other : undefined;
}

/** The x of min(max(x + 3, 0), 6), floating point. */
function shiftedRelu6(value: Arg | undefined, context: RewriteContext): Arg | undefined {
  const bounds = new Map<string, number>();
  let node = context.definition(value);
  while (node?.op === "aten::clamp" || node?.op === "aten::clamp_min" || node?.op === "aten::clamp_max") {
    for (const name of ["min", "max"]) {
      const bound = numberOf(argOf(node, name));
      if (bound !== undefined && bounds.has(name)) return undefined;
      if (bound !== undefined) bounds.set(name, bound);
    }
    node = context.definition(argOf(node, "self"));
  }
  if (bounds.get("min") !== 0 || bounds.get("max") !== 6) return undefined;
  if (node?.op !== "aten::add.Tensor" || numberOf(argOf(node, "other")) !== 3) return undefined;
  const x = argOf(node, "self");
  const plain = argOf(node, "alpha") === undefined && context.tensor(x)?.dtype === "float32";
  return plain ? x : undefined;
}
