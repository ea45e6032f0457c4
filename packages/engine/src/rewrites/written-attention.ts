import { type Arg, argOf, type Node, type OpName, type Program, type SymInt, type TensorType } from "@pt2/graph";
import { type Scores, scoresOf } from "./attention-scores.ts";
import { floatArg, intArg, intsOf, NONE, numberOf } from "./literals.ts";
import { given, type RewriteContext, type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";
import { dense, isSameShape, isSameSize, resultType, transposed } from "./types.ts";

const ATTENTION = "aten::scaled_dot_product_attention";
const SAFE_SOFTMAX = "aten::_safe_softmax";

/**
 * Attention that is written out as safe_softmax(q k^T scale + mask) v becomes `scaled_dot_product_attention` again.
 * With a plain softmax it stays: a row of which everything is masked gives NaN there, and zeros in the fused op.
 */
export function recomposeAttention(program: Program, target: RewriteTarget): Program {
  if (!target.has(ATTENTION) || !program.graph.nodes.some(({ op }) => op === SAFE_SOFTMAX)) return program;
  const rules = new Map([
    ["aten::matmul", RULE],
    ["aten::bmm", RULE],
  ]);
  return rewrite(program, rules, target);
}

const RULE: RewriteRule = (node, context) => {
  const found = writtenAttention(node, new Set([SAFE_SOFTMAX]), context);
  // The fused op adds its mask.
  if (found === null || found.fills) return null;
  const { q, k, v, mask = NONE, scale } = found;
  const args = { query: q, key: k, value: v, attn_mask: mask, scale: floatArg(scale) };
  return found.resultOf(context.emit(ATTENTION, args, found.type, node));
};

/** The operands of an attention over four dimensions, [batch, heads, length, size] each. */
export interface WrittenAttention extends Scores {
  /** Not transposed. */
  readonly k: Arg;
  readonly v: Arg;
  readonly softmax: OpName;
  /** What the fused op returns, and what has to be done to it to get what was written. */
  readonly type: TensorType | undefined;
  readonly resultOf: (attention: Arg) => Arg;
}

/**
 * The attention whose last step is this `matmul` or `bmm`; null where it is something else, or another softmax than these.
 * One over three dimensions gets one head. It may be written as its transpose, v^T softmax(q k^T)^T.
 */
export function writtenAttention(
  node: Node,
  softmaxes: ReadonlySet<OpName>,
  context: RewriteContext,
): WrittenAttention | null {
  const [left, right] = [argOf(node, "self"), argOf(node, "other") ?? argOf(node, "mat2")];
  if (left === undefined || right === undefined) return null;
  const weights = isSoftmax(left, softmaxes, context) ? left : untransposed(right, context);
  const isTransposed = weights !== left;
  if (weights === undefined || (isTransposed && !isSoftmax(weights, softmaxes, context))) return null;
  if (isTransposed && !context.isReadOnce(right)) return null;
  const softmax = context.definition(weights)!;
  const scores = scoresOf(argOf(softmax, "self"), context);
  const rank = context.tensor(weights)!.shape.length;
  if (scores === null || context.tensor(scores.q)?.shape.length !== rank) return null;
  const k = transpose(scores.k, node, context);
  const v = isTransposed ? transpose(left, node, context) : right;
  const result = resultType(node, context);
  const type = isTransposed ? result && transposed(result) : result;
  const found = {
    ...scores,
    k,
    v,
    softmax: softmax.op,
    type: withHeadsType(type),
    resultOf(attention: Arg): Arg {
      const written = withoutHeads(attention, type, node, context);
      return isTransposed ? transpose(written, node, context) : written;
    },
  };
  const { q, mask } = found;
  const all =
    rank === 4
      ? found
      : {
          ...found,
          q: withHeads(q, node, context),
          k: withHeads(k, node, context),
          v: withHeads(v, node, context),
          mask: mask && withHeads(mask, node, context),
        };
  return haveSameHeads(all.q, all.k, all.v, context) ? all : null;
}

/** Whether a value is read once and one of these softmaxes, over the last of three or four dimensions, in float32. */
function isSoftmax(value: Arg, softmaxes: ReadonlySet<OpName>, context: RewriteContext): boolean {
  const node = context.isReadOnce(value) ? context.definition(value) : undefined;
  const rank = context.tensor(value)?.shape.length;
  if (node === undefined || !softmaxes.has(node.op) || (rank !== 3 && rank !== 4)) return false;
  const dim = numberOf(argOf(node, "dim"));
  const dtype = given(node, "dtype");
  return (dim === -1 || dim === rank - 1) && (dtype === undefined || isFloat32(dtype));
}

function isFloat32(dtype: Arg): boolean {
  return dtype.kind === "dtype" && dtype.value === "float32";
}

/** Gives a tensor of three dimensions one head. A mask of fewer is broadcast as it is. */
export function withHeads(value: Arg, node: Node, context: RewriteContext): Arg {
  const type = context.tensor(value);
  if (type?.shape.length !== 3) return value;
  return context.emit("aten::unsqueeze", { self: value, dim: intArg(1) }, withHeadsType(type), node);
}

/** The type with four dimensions of a tensor that has one head. */
export function withHeadsType(type: TensorType | undefined): TensorType | undefined {
  return type?.shape.length === 3 ? dense(type, type.shape.toSpliced(1, 0, 1)) : type;
}

/** The result of an attention in as many dimensions as this type has. */
export function withoutHeads(attention: Arg, type: TensorType | undefined, node: Node, context: RewriteContext): Arg {
  if (type?.shape.length !== 3) return attention;
  return context.emit("aten::squeeze.dim", { self: attention, dim: intArg(1) }, type, node);
}

/** A tensor with its last two dimensions in each other's place, or what it was before they changed places. */
function transpose(value: Arg, node: Node, context: RewriteContext): Arg {
  const before = untransposed(value, context);
  if (before !== undefined) return before;
  const args = { self: value, dim0: intArg(-2), dim1: intArg(-1) };
  const type = context.tensor(value);
  return context.emit("aten::transpose.int", args, type && transposed(type), node);
}

/** What a tensor was before its last two dimensions changed places. */
function untransposed(value: Arg, context: RewriteContext): Arg | undefined {
  const before = context.definition(value);
  const rank = context.tensor(value)?.shape.length;
  if (before === undefined || rank === undefined) return undefined;
  const fromStart = (dim: number | undefined): number => ((dim ?? 0) + rank) % rank;
  const dims = intsOf(argOf(before, "dims")) ?? [argOf(before, "dim0"), argOf(before, "dim1")].map(numberOf);
  const order = dims.map(fromStart).join();
  const [last, other] = [rank - 1, rank - 2];
  const isTransposed =
    before.op === "aten::permute"
      ? order === [...Array(other).keys(), last, other].join()
      : before.op === "aten::transpose.int" && (order === `${other},${last}` || order === `${last},${other}`);
  return isTransposed ? argOf(before, "self") : undefined;
}

/** Whether q, k and v are float32 with four dimensions each, the first two alike: nothing is broadcast. */
export function haveSameHeads(q: Arg, k: Arg, v: Arg, context: RewriteContext): boolean {
  const [queries, keys, values] = [q, k, v].map((arg) => leadOf(arg, context));
  return isSameShape(queries, keys) && isSameShape(keys, values) && queries !== undefined;
}

/** As {@link haveSameHeads}, but for heads of q that share those of k and v, as many each. */
export function haveSharedHeads(q: Arg, k: Arg, v: Arg, context: RewriteContext): boolean {
  const [queries, keys, values] = [q, k, v].map((arg) => leadOf(arg, context));
  if (queries === undefined || keys === undefined || !isSameShape(keys, values)) return false;
  const [heads, shared] = [queries[1], keys[1]];
  if (typeof heads !== "number" || typeof shared !== "number") return false;
  return isSameSize(queries[0], keys[0]) && shared > 0 && heads % shared === 0;
}

/** The first two of four dimensions of a float32 tensor. */
function leadOf(arg: Arg, context: RewriteContext): readonly SymInt[] | undefined {
  const type = context.tensor(arg);
  return type?.dtype === "float32" && type.shape.length === 4 ? type.shape.slice(0, 2) : undefined;
}
