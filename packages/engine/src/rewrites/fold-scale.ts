import { normalDim } from "@pt2/format";
import { type Arg, argOf, type Node, type OpName, type Program } from "@pt2/graph";
import { intsArg, intsOf, knownShape, NONE } from "./literals.ts";
import { argsOf, given, type NewArgs, type RewriteContext, type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";
import { dense } from "./types.ts";

/** A fixed factor per output channel of a product or convolution (ConvNeXt's layer scale) becomes part of its weight. */
export function foldScales(program: Program, target: RewriteTarget): Program {
  return rewrite(program, new Map([["aten::mul.Tensor", RULE]]), target);
}

const RULE: RewriteRule = (node, context) => {
  const [self, other] = [argOf(node, "self"), argOf(node, "other")];
  return scaled(self, other, context) ?? scaled(other, self, context);
};

/** Where the channels of an op's result are. */
const CHANNEL_DIMS: ReadonlyMap<OpName, (rank: number) => number> = new Map<OpName, (rank: number) => number>([
  ["aten::linear", (rank) => rank - 1],
  ["aten::conv2d", () => 1],
]);

function scaled(value: Arg | undefined, factor: Arg | undefined, context: RewriteContext): Arg | null {
  const [outer, permuted] = [context.definition(value), argOf(context.definition(value) ?? NOTHING, "dims")];
  const dims = outer?.op === "aten::permute" ? intsOf(permuted) : undefined;
  const made = dims === undefined ? value : argOf(outer!, "self");
  const node = context.definition(made);
  const shape = knownShape(context.tensor(made));
  const channelDim = node && shape && CHANNEL_DIMS.get(node.op)?.(shape.length);
  if (!context.isFixed(factor) || !context.isReadOnce(value) || !context.isReadOnce(made)) return null;
  if (node === undefined || shape === undefined || channelDim === undefined) return null;
  const at = dims === undefined ? channelDim : dims.map((dim) => normalDim(dim, shape.length)).indexOf(channelDim);
  if (!isPerChannel(knownShape(context.tensor(factor)), at, shape.length, shape[channelDim]!)) return null;
  // A factor of a wider dtype makes the result wider.
  const dtypes = [value, made, factor, argOf(node, "weight"), given(node, "bias")].flatMap(
    (arg) => context.tensor(arg)?.dtype ?? [],
  );
  if (new Set(dtypes).size !== 1) return null;
  const result = rescaled(node, factor!, context);
  if (result === null || dims === undefined) return result;
  return context.emit("aten::permute", { self: result, dims: intsArg(dims) }, context.tensor(value), outer!);
}

const NOTHING: Node = { name: "", op: "", args: [], outputs: [], origin: {} };

/** Whether a factor that is broadcast varies along one dimension only. */
function isPerChannel(shape: readonly number[] | undefined, at: number, rank: number, channels: number): boolean {
  if (shape === undefined || shape.length > rank) return false;
  return (
    shape.toReversed().every((size, i) => size === (rank - 1 - i === at ? channels : 1)) && shape.length >= rank - at
  );
}

function rescaled(node: Node, factor: Arg, context: RewriteContext): Arg | null {
  const [weight, bias] = [argOf(node, "weight")!, given(node, "bias")];
  if (!context.isFixed(weight) || (bias !== undefined && !context.isFixed(bias))) return null;
  const type = context.tensor(weight);
  const rank = type?.shape.length ?? 0;
  const emit = (op: string, args: NewArgs, shape: readonly number[]): Arg =>
    context.emit(`aten::${op}`, args, dense(type, shape), node);
  const flat = knownShape(type)?.slice(0, 1);
  if (flat === undefined) return null;
  const vector = emit("reshape", { self: factor, shape: intsArg([-1]) }, flat);
  const column = [-1, ...new Array<number>(rank - 1).fill(1)];
  const spread = emit("reshape", { self: vector, shape: intsArg(column) }, [flat[0]!, ...column.slice(1)]);
  const product = context.emit("aten::mul.Tensor", { self: weight, other: spread }, dense(type, type?.shape), node);
  const shift = bias === undefined ? NONE : emit("mul.Tensor", { self: bias, other: vector }, flat);
  const rest = argsOf(node);
  const [output] = node.outputs;
  const resultType = output?.kind === "value" ? context.tensor(output) : undefined;
  return context.emit(node.op, { ...rest, weight: product, bias: shift }, resultType, node);
}
