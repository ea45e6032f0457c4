import {
  argsOf,
  concatenatedChannels,
  given,
  numberOf,
  type RewriteContext,
  type RewriteRule,
  rewrite,
} from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type Program } from "@pt2/graph";
import type { OptimizeTarget } from "./target.ts";

/**
 * Fuses what networks like DenseNet have before a 1x1 convolution, relu(x * scale + shift) with fixed numbers for each
 * channel, into the convolution: it applies them to the few rows that it is about to multiply, so that the map is read
 * once and not written. These rows may be of several tensors, which then need not be put together.
 */
export function fusePreactivations(program: Program, target: OptimizeTarget): Program {
  if (!target.has("pt2::preactivated_conv1x1")) return program;
  return rewrite(program, new Map([["pt2::conv1x1", RULE]]), target);
}

const RULE: RewriteRule = (node, context) => {
  const { x: input, residual: _, ...args } = argsOf(node);
  const relu = only(input, "aten::relu", context);
  const sum = only(relu && argOf(relu, "self"), "aten::add.Tensor", context);
  const product = only(sum && argOf(sum, "self"), "aten::mul.Tensor", context);
  if (sum === undefined || product === undefined || given(node, "residual") !== undefined) return null;
  if ((numberOf(argOf(sum, "alpha")) ?? 1) !== 1) return null;
  const x = argOf(product, "self");
  const scale = channels(argOf(product, "other"), x, context);
  const shift = channels(argOf(sum, "other"), x, context);
  const [output] = node.outputs;
  if (scale === null || shift === null || output?.kind !== "value") return null;
  // Parts of another dtype would be converted.
  const parts = concatenatedChannels(x, context);
  const items = parts?.every(({ type }) => type.dtype === "float32") ? parts.map(({ value }) => value) : [x!];
  return context.emit(
    "pt2::preactivated_conv1x1",
    { x: { kind: "list", items }, scale, shift, ...args },
    context.tensor(output),
    node,
  );
};

function only(value: Arg | undefined, op: Node["op"], context: RewriteContext): Node | undefined {
  const node = context.isReadOnce(value) ? context.definition(value) : undefined;
  return node?.op === op ? node : undefined;
}

/** Returns the fixed vector that is viewed as [channels, 1, …], one number for each channel of `x`; null for others. */
function channels(numbers: Arg | undefined, x: Arg | undefined, context: RewriteContext): Arg | null {
  const view = context.definition(numbers);
  const vector = view?.op === "aten::reshape" ? argOf(view, "self") : undefined;
  const [image, sizes] = [context.tensor(x), context.tensor(numbers)?.shape.map(Number)];
  if (vector === undefined || image?.dtype !== "float32" || sizes?.length !== image.shape.length - 1) return null;
  if (context.tensor(vector)?.shape.length !== 1 || !context.isFixed(vector)) return null;
  return sizes[0] === Number(image.shape[1]) && sizes.slice(1).every((size) => size === 1) ? vector : null;
}
