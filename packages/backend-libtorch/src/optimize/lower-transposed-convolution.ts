import { given, intArg, intsArg, knownShape, NONE, numberOf, type RewriteRule, rewrite } from "@pt2/engine/rewrites";
import { argOf, type OpName, type Program } from "@pt2/graph";
import { activationArgs, NO_ACTIVATION } from "./activation.ts";
import { integersOf, MOST_STEPS } from "./read-convolution.ts";
import type { OptimizeTarget } from "./target.ts";

const OWN: OpName = "pt2::transposed_conv";

/** Transposed convolutions of sequences, images and videos. */
const TRANSPOSED: readonly OpName[] = [
  "aten::conv_transpose1d",
  "aten::conv_transpose2d.input",
  "aten::conv_transpose3d.input",
];

/**
 * Lowers transposed convolutions of float32 whose weights are fixed to this package's kernel, which multiplies with packed
 * weights and keeps activations channels-last. PyTorch's unfolds each image into memory of its own.
 */
export function lowerTransposedConvolutions(program: Program, target: OptimizeTarget): Program {
  if (!target.has(OWN)) return program;
  return rewrite(program, new Map(TRANSPOSED.map((op) => [op, RULE])), target);
}

const RULE: RewriteRule = (node, context) => {
  const [input, weight, bias] = [argOf(node, "input"), argOf(node, "weight"), given(node, "bias") ?? NONE];
  const sides = TRANSPOSED.indexOf(node.op) + 1;
  const read = (name: string, fallback: number) => integersOf(argOf(node, name), fallback, sides);
  const [stride, padding, extra] = [read("stride", 1), read("padding", 0), read("output_padding", 0)];
  const dilation = read("dilation", 1);
  const type = context.tensor(weight);
  const sizes = knownShape(type);
  if (input === undefined || weight === undefined || !context.isFixed(weight)) return null;
  if (sizes?.length !== sides + 2 || context.tensor(input)?.shape.length !== sizes.length) return null;
  if (bias.kind !== "none" && !context.isFixed(bias)) return null;
  if (type?.dtype !== "float32" || context.tensor(input)?.dtype !== "float32" || sizes.includes(0)) return null;
  if ((numberOf(argOf(node, "groups")) ?? 1) !== 1) return null;
  if (stride === undefined || padding === undefined || extra === undefined || dilation === undefined) return null;
  if ([...stride, ...padding, ...extra, ...dilation].some((size) => size > MOST_STEPS)) return null;
  const [output] = node.outputs;
  const args = {
    x: input,
    weight: context.emit("pt2::pack_transposed_conv_weight", { weight }, type, node),
    out_channels: intArg(sizes[1]!),
    kernel: intsArg(sizes.slice(2)),
    bias,
    stride: intsArg(stride),
    padding: intsArg(padding),
    output_padding: intsArg(extra),
    dilation: intsArg(dilation),
    ...activationArgs(NO_ACTIVATION),
  };
  return context.emit(OWN, args, output?.kind === "value" ? context.tensor(output) : undefined, node);
};
