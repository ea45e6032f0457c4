import { type Arg, argOf, type Node, type OpName, type Program } from "@pt2/graph";
import { type ConcatenatedChannels, concatenatedChannels } from "./concatenated-channels.ts";
import { intArg, isTrue, knownShape, NONE } from "./literals.ts";
import { given, type NewArgs, type RewriteContext, type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";
import { dense, resultType } from "./types.ts";

/**
 * Takes batch normalization and activations to the convolutions whose results they read side by side, where they cost
 * nothing:
 *
 *     f(cat(conv(x), conv(y))) = cat(f(conv(x)), f(conv(y)))
 */
export function distributeConcatenations(program: Program, target: RewriteTarget): Program {
  return rewrite(program, RULES, target);
}

/** Functions of one element, which their first argument is. */
const ACTIVATIONS: readonly OpName[] = [
  "aten::relu",
  "aten::relu6",
  "aten::leaky_relu",
  "aten::sigmoid",
  "aten::tanh",
  "aten::silu",
  "aten::gelu",
  "aten::hardswish",
  "aten::hardsigmoid",
  "aten::hardtanh",
  "aten::clamp",
];

/** The dimension of channels. */
const CHANNELS = 1;

interface Part extends ConcatenatedChannels {
  readonly channels: number;
}

const activation: RewriteRule = (node, context) => {
  const [self, ...rest] = node.args;
  const parts = self && partsOf(self.arg, context);
  if (self === undefined || parts === null || parts === undefined) return null;
  const args: NewArgs = Object.fromEntries(rest.map(({ name, arg }) => [name, arg]));
  return concatenated(
    node,
    context,
    parts.map(({ value, type }) => context.emit(node.op, { [self.name]: value, ...args }, type, node)),
  );
};

const norm: RewriteRule = (node, context) => {
  const parts = partsOf(argOf(node, "input"), context);
  const training = argOf(node, "training");
  if (parts === null || isTrue(training)) return null;
  const names = ["weight", "bias", "running_mean", "running_var"];
  const vectors = names.map((name) => [name, given(node, name)] as const);
  const total = parts.reduce((sum, { channels }) => sum + channels, 0);
  const isOfChannels = (vector: Arg | undefined): boolean =>
    vector === undefined || (context.isFixed(vector) && knownShape(context.tensor(vector))?.join() === `${total}`);
  if (!vectors.every(([, vector]) => isOfChannels(vector))) return null;
  let start = 0;
  return concatenated(
    node,
    context,
    parts.map(({ value, type, channels }) => {
      const slice = (vector: Arg | undefined): Arg =>
        vector === undefined ? NONE : sliced(vector, start, channels, node, context);
      const slices = Object.fromEntries(vectors.map(([name, vector]) => [name, slice(vector)]));
      start += channels;
      const off: Arg = { kind: "bool", value: false };
      const rest = { training: off, momentum: argOf(node, "momentum"), eps: argOf(node, "eps"), cudnn_enabled: off };
      return context.emit("aten::batch_norm", { input: value, ...slices, ...rest }, type, node);
    }),
  );
};

const RULES = new Map<OpName, RewriteRule>([
  ...ACTIVATIONS.map((op) => [op, activation] as const),
  ["aten::batch_norm", norm],
  ["aten::_native_batch_norm_legit_no_training", norm],
]);

/** The results of convolutions that a value has side by side, if nothing else reads them. */
function partsOf(value: Arg | undefined, context: RewriteContext): readonly Part[] | null {
  const tensors = concatenatedChannels(value, context);
  const dtype = context.tensor(value)?.dtype;
  const parts = tensors?.flatMap(({ value, type }): Part[] => {
    const channels = knownShape(type)?.[CHANNELS];
    // A part of another dtype is converted first.
    if (channels === undefined || type.dtype !== dtype) return [];
    if (!context.isReadOnce(value) || !isConvolved(value, context)) return [];
    return [{ value, type, channels }];
  });
  return parts !== undefined && parts.length === tensors!.length ? parts : null;
}

/** Returns whether a convolution computes a value, with the normalization that it may have taken over already. */
function isConvolved(value: Arg | undefined, context: RewriteContext): boolean {
  const node = context.definition(value);
  if (node?.op === "aten::batch_norm") return isConvolved(argOf(node, "input"), context);
  return node !== undefined && /^aten::conv([12]d|olution)$/.test(node.op);
}

function sliced(vector: Arg, start: number, count: number, node: Node, context: RewriteContext): Arg {
  const args = { self: vector, dim: intArg(0), start: intArg(start), end: intArg(start + count) };
  return context.emit("aten::slice.Tensor", args, dense(context.tensor(vector), [count]), node);
}

function concatenated(node: Node, context: RewriteContext, items: readonly Arg[]): Arg {
  const args = { tensors: { kind: "list", items }, dim: intArg(CHANNELS) } as const;
  return context.emit("aten::cat", args, resultType(node, context), node);
}
