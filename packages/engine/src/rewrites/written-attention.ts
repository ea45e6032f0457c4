import { type Arg, argOf, type Node, type OpName, type Program, type SymInt } from "@pt2/graph";
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
  return rewrite(program, new Map([["aten::matmul", RULE]]), target);
}

const RULE: RewriteRule = (node, context) => {
  const found = writtenAttention(node, new Set([SAFE_SOFTMAX]), context);
  if (found === null) return null;
  const { q, k, v, mask = NONE, scale } = found;
  const args = { query: q, key: k, value: v, attn_mask: mask, scale: floatArg(scale) };
  return context.emit(ATTENTION, args, resultType(node, context), node);
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

/** The attention whose last step is this `matmul`; null where it is something else, or another softmax than these. */
export function writtenAttention(
  node: Node,
  softmaxes: ReadonlySet<OpName>,
  context: RewriteContext,
): WrittenAttention | null {
  const weights = argOf(node, "self");
  const softmax = context.isReadOnce(weights) ? context.definition(weights) : undefined;
  const rank = context.tensor(weights)?.shape.length;
  const dim = numberOf(softmax && argOf(softmax, "dim"));
  if (softmax === undefined || !softmaxes.has(softmax.op) || given(softmax, "dtype") !== undefined || rank !== 4)
    return null;
  if (dim !== -1 && dim !== 3) return null;
  const scores = scoresOf(argOf(softmax, "self"), context);
  const v = argOf(node, "other")!;
  if (scores === null) return null;
  const keys = context.tensor(scores.k);
  const args = { self: scores.k, dim0: intArg(-2), dim1: intArg(-1) };
  const type = dense(keys, keys && [...keys.shape.slice(0, -2), ...keys.shape.slice(-2).toReversed()]);
  const k = untransposed(scores.k, context) ?? context.emit("aten::transpose.int", args, type, node);
  return haveSameHeads(scores.q, k, v, context) ? { ...scores, k, v, softmax: softmax.op } : null;
}

/** What a tensor of four dimensions was before its last two changed places. */
function untransposed(value: Arg, context: RewriteContext): Arg | undefined {
  const before = context.definition(value);
  if (before === undefined) return undefined;
  const fromStart = (dim: number | undefined): number => ((dim ?? 0) + 4) % 4;
  const dims = intsOf(argOf(before, "dims")) ?? [argOf(before, "dim0"), argOf(before, "dim1")].map(numberOf);
  const order = dims.map(fromStart).join();
  const isTransposed =
    before.op === "aten::permute"
      ? order === "0,1,3,2"
      : before.op === "aten::transpose.int" && (order === "2,3" || order === "3,2");
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
