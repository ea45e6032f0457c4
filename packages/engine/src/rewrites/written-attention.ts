import { type Arg, argOf, type Node, type OpName, type Program, type SymInt, type TensorType } from "@pt2/graph";
import { scoresOf } from "./attention-scores.ts";
import { floatArg, intArg, intsOf, NONE, numberOf } from "./literals.ts";
import { given, type RewriteContext, type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";
import { dense, isSameShape, isSameSize, resultType } from "./types.ts";

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
  if (found === null) return null;
  const { q, k, v, mask = NONE, scale } = found;
  const args = { query: q, key: k, value: v, attn_mask: mask, scale: floatArg(scale) };
  return withoutHeads(context.emit(ATTENTION, args, withHeadsType(resultType(node, context)), node), node, context);
};

/** The operands of an attention over four dimensions, [batch, heads, length, size] each. */
export interface WrittenAttention {
  readonly q: Arg;
  readonly k: Arg;
  readonly v: Arg;
  /** float32, added to the scores. */
  readonly mask: Arg | undefined;
  readonly scale: number;
  readonly softmax: OpName;
}

/**
 * The attention whose last step is this `matmul` or `bmm`; null where it is something else, or another softmax than these.
 * One over three dimensions gets one head: its result is what {@link withoutHeads} makes of the fused op's.
 */
export function writtenAttention(
  node: Node,
  softmaxes: ReadonlySet<OpName>,
  context: RewriteContext,
): WrittenAttention | null {
  const weights = argOf(node, "self");
  const softmax = context.isReadOnce(weights) ? context.definition(weights) : undefined;
  const rank = context.tensor(weights)?.shape.length;
  if (softmax === undefined || !softmaxes.has(softmax.op) || (rank !== 3 && rank !== 4)) return null;
  const dim = numberOf(argOf(softmax, "dim"));
  const dtype = given(softmax, "dtype");
  if ((dim !== -1 && dim !== rank - 1) || !(dtype === undefined || isFloat32(dtype))) return null;
  const scores = scoresOf(argOf(softmax, "self"), context);
  const v = argOf(node, "other") ?? argOf(node, "mat2");
  if (scores === null || v === undefined) return null;
  const keys = context.tensor(scores.k);
  const args = { self: scores.k, dim0: intArg(-2), dim1: intArg(-1) };
  const type = dense(keys, keys && [...keys.shape.slice(0, -2), ...keys.shape.slice(-2).toReversed()]);
  const k = untransposed(scores.k, rank, context) ?? context.emit("aten::transpose.int", args, type, node);
  const found = { ...scores, k, v, softmax: softmax.op };
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

/** The result of an attention in as many dimensions as the node that it replaces has. */
export function withoutHeads(attention: Arg, node: Node, context: RewriteContext): Arg {
  const type = resultType(node, context);
  if (type?.shape.length !== 3) return attention;
  return context.emit("aten::squeeze.dim", { self: attention, dim: intArg(1) }, type, node);
}

/** What a tensor was before its last two dimensions changed places. */
function untransposed(value: Arg, rank: number, context: RewriteContext): Arg | undefined {
  const before = context.definition(value);
  if (before === undefined) return undefined;
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
