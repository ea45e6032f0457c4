import {
  dense,
  floatArg,
  given,
  intArg,
  knownShape,
  NONE,
  numberOf,
  type RewriteContext,
  type RewriteRule,
  resultType,
  rewrite,
  type Scores,
  scoresOf,
} from "@pt2/engine/rewrites";
import { type Arg, argOf, type OpName, type Program } from "@pt2/graph";
import type { OptimizeTarget } from "./target.ts";

/** Attention, called by its name or written out as softmax(q k^T scale + mask) v, runs on our own kernel. */
export function fuseAttention(program: Program, target: OptimizeTarget): Program {
  if (!target.has("pt2::attention")) return program;
  const rules = new Map([
    ["aten::scaled_dot_product_attention", named],
    ["aten::matmul", written],
  ]);
  return rewrite(program, rules, target);
}

const named: RewriteRule = (node, context) => {
  const [q, k, v] = [argOf(node, "query")!, argOf(node, "key")!, argOf(node, "value")!];
  const causal = argOf(node, "is_causal");
  const grouped = argOf(node, "enable_gqa");
  const mask = given(node, "attn_mask");
  if ((numberOf(argOf(node, "dropout_p")) ?? 0) !== 0 || (grouped?.kind === "bool" && grouped.value)) return null;
  const type = mask && context.tensor(mask);
  if (mask !== undefined && type?.dtype !== "bool" && type?.dtype !== "float32") return null;
  if (!sameHeads(q, k, v, context)) return null;
  const scale = given(node, "scale") ?? NONE;
  const args = { q, k, v, mask: mask ?? NONE, is_causal: causal ?? { kind: "bool", value: false }, scale };
  return context.emit("pt2::attention", args, resultType(node, context), node);
};

const SOFTMAX: ReadonlySet<OpName> = new Set(["aten::softmax.int", "aten::_safe_softmax"]);

const written: RewriteRule = (node, context) => {
  const weights = argOf(node, "self");
  const softmax = context.isReadOnce(weights) ? context.definition(weights) : undefined;
  const rank = context.tensor(weights)?.shape.length;
  const dim = numberOf(softmax && argOf(softmax, "dim"));
  if (softmax === undefined || !SOFTMAX.has(softmax.op) || given(softmax, "dtype") !== undefined || rank !== 4)
    return null;
  if (dim !== -1 && dim !== 3) return null;
  const scores = scoresOf(argOf(softmax, "self"), context);
  const v = argOf(node, "other")!;
  if (scores === null) return null;
  const keys = knownShape(context.tensor(scores.k));
  if (keys === undefined) return null;
  const [batch, heads, size, length] = keys as [number, number, number, number];
  const k = context.emit(
    "aten::transpose.int",
    { self: scores.k, dim0: intArg(-2), dim1: intArg(-1) },
    dense(context.tensor(scores.k), [batch, heads, length, size]),
    node,
  );
  if (!sameHeads(scores.q, k, v, context)) return null;
  return context.emit("pt2::attention", argsOf(scores, k, v), resultType(node, context), node);
};

function argsOf({ q, mask, scale }: Scores, k: Arg, v: Arg): Readonly<Record<string, Arg>> {
  return { q, k, v, mask: mask ?? NONE, is_causal: { kind: "bool", value: false }, scale: floatArg(scale) };
}

/** Four dimensions each, the first two alike: nothing is broadcast. */
function sameHeads(q: Arg, k: Arg, v: Arg, context: RewriteContext): boolean {
  const types = [q, k, v].map((arg) => context.tensor(arg));
  if (types.some((type) => type?.shape.length !== 4 || type.dtype !== "float32")) return false;
  const [first, ...others] = types.map((type) => JSON.stringify(type!.shape.slice(0, 2).map(String)));
  const known = types.every((type) => type!.shape.slice(0, 2).every((size) => typeof size === "number"));
  return known && others.every((other) => other === first);
}
