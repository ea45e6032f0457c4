import { argOf } from "@pt2/graph";
import { intsArg, knownShape, NONE, pairOf } from "./literals.ts";
import { argsOf, given, type RewriteRule } from "./rewriter.ts";
import { resultType } from "./types.ts";

/** `convolution` that is not transposed, over two dimensions. */
export const convolution: RewriteRule = (node, context) => {
  const transposedArg = argOf(node, "transposed");
  const operands = ["input", "weight"].map((name) => context.tensor(argOf(node, name)));
  const padding = argOf(node, "output_padding");
  // What PyTorch refuses stays as it is.
  if (operands.some((type) => type?.shape.length !== 4)) return null;
  if (padding?.kind !== "list" || padding.items.length > 2) return null;
  if (transposedArg?.kind !== "bool" || transposedArg.value) return null;
  return context.emit(
    "aten::conv2d",
    {
      input: argOf(node, "input"),
      weight: argOf(node, "weight"),
      bias: given(node, "bias") ?? NONE,
      stride: argOf(node, "stride"),
      padding: argOf(node, "padding"),
      dilation: argOf(node, "dilation"),
      groups: argOf(node, "groups"),
    },
    resultType(node, context),
    node,
  );
};

/** padding="valid", and "same" where both sides get as much */
export const namedPadding: RewriteRule = (node, context) => {
  const kernel = knownShape(context.tensor(argOf(node, "weight")))?.slice(2);
  const dilation = pairOf(argOf(node, "dilation"), 1);
  const padding = argOf(node, "padding");
  if (kernel === undefined || dilation === undefined || padding?.kind !== "string") return null;
  if (padding.value !== "same" && padding.value !== "valid") return null;
  const total = kernel.map((size, i) => (padding.value === "same" ? dilation[i]! * (size - 1) : 0));
  if (total.some((size) => size % 2 !== 0)) return null;
  const args = argsOf(node);
  return context.emit(
    "aten::conv2d",
    { ...args, padding: intsArg(total.map((size) => size / 2)) },
    resultType(node, context),
    node,
  );
};
