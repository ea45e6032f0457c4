import { argOf, type OpName } from "@pt2/graph";
import { intsArg, knownShape, NONE, pairOf } from "./literals.ts";
import { argsOf, given, type RewriteRule } from "./rewriter.ts";
import { resultType } from "./types.ts";

/** The ops of one and of more dimensions. */
const FORWARD: readonly OpName[] = ["aten::conv1d", "aten::conv2d", "aten::conv3d"];
const TRANSPOSED: readonly OpName[] = [
  "aten::conv_transpose1d",
  "aten::conv_transpose2d.input",
  "aten::conv_transpose3d.input",
];

/** `convolution` over one to three dimensions. */
export const convolution: RewriteRule = (node, context) => {
  const [input, weight, transposed] = ["input", "weight", "transposed"].map((name) => argOf(node, name));
  const rank = context.tensor(weight)?.shape.length ?? 0;
  const padding = argOf(node, "output_padding");
  // What PyTorch refuses stays as it is.
  if (context.tensor(input)?.shape.length !== rank || transposed?.kind !== "bool") return null;
  if (padding?.kind !== "list" || padding.items.length > rank - 2) return null;
  const op = (transposed.value ? TRANSPOSED : FORWARD)[rank - 3];
  if (op === undefined) return null;
  const args = {
    input,
    weight,
    bias: given(node, "bias") ?? NONE,
    stride: argOf(node, "stride"),
    padding: argOf(node, "padding"),
    ...(transposed.value && { output_padding: padding }),
    dilation: argOf(node, "dilation"),
    groups: argOf(node, "groups"),
  };
  return context.emit(op, args, resultType(node, context), node);
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
