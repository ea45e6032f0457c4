import {
  dense,
  given,
  intsArg,
  knownShape,
  NONE,
  numberOf,
  pairOf,
  type RewriteRule,
  rewrite,
} from "@pt2/engine/rewrites";
import { argOf, type OpName, type Program } from "@pt2/graph";
import { activationArgs, NO_ACTIVATION } from "./activation.ts";
import { MOST_STEPS, rowOf } from "./read-convolution.ts";
import type { OptimizeTarget } from "./target.ts";

const OWN: OpName = "pt2::transposed_conv2d";

/**
 * Lowers transposed convolutions of float32 whose weights are fixed to this package's kernel, which multiplies with packed
 * weights and keeps activations channels-last. PyTorch's unfolds each image into memory of its own.
 */
export function lowerTransposedConvolutions(program: Program, target: OptimizeTarget): Program {
  if (!target.has(OWN)) return program;
  return rewrite(
    program,
    new Map([
      ["aten::conv_transpose1d", RULE],
      ["aten::conv_transpose2d.input", RULE],
    ]),
    target,
  );
}

const RULE: RewriteRule = (node, context) => {
  const [input, weight, bias] = [argOf(node, "input"), argOf(node, "weight"), given(node, "bias") ?? NONE];
  const ofSequences = node.op === "aten::conv_transpose1d";
  // Sequences are images of one column.
  const read = (name: string, fallback: number): readonly number[] | undefined =>
    ofSequences ? rowOf(argOf(node, name), fallback)?.toReversed() : pairOf(argOf(node, name), fallback);
  const [stride, padding, extra] = [read("stride", 1), read("padding", 0), read("output_padding", 0)];
  const dilation = read("dilation", 1);
  const type = context.tensor(weight);
  const sizes = knownShape(type);
  if (input === undefined || weight === undefined || !context.isFixed(weight)) return null;
  if (sizes?.length !== (ofSequences ? 3 : 4) || context.tensor(input)?.shape.length !== sizes.length) return null;
  if (bias.kind !== "none" && !context.isFixed(bias)) return null;
  if (type?.dtype !== "float32" || context.tensor(input)?.dtype !== "float32" || sizes.includes(0)) return null;
  if ((numberOf(argOf(node, "groups")) ?? 1) !== 1) return null;
  if (stride === undefined || padding === undefined || extra === undefined || dilation === undefined) return null;
  if ([...stride, ...padding, ...extra, ...dilation].some((size) => size > MOST_STEPS)) return null;
  const [output] = node.outputs;
  const result = output?.kind === "value" ? context.tensor(output) : undefined;
  const shape = ofSequences ? [...sizes, 1] : sizes;
  const packed = dense(type, shape);
  const dim = { kind: "int", value: 3 } as const;
  const images = ofSequences ? context.emit("aten::unsqueeze", { self: weight, dim }, packed, node) : weight;
  const args = {
    x: input,
    weight: context.emit("pt2::pack_transposed_conv_weight", { weight: images }, packed, node),
    out_channels: { kind: "int", value: shape[1]! },
    kernel: intsArg(shape.slice(2)),
    bias,
    stride: intsArg(stride),
    padding: intsArg(padding),
    output_padding: intsArg(extra),
    dilation: intsArg(dilation),
    ...activationArgs(NO_ACTIVATION),
  } as const;
  return context.emit(OWN, args, result, node);
};
