import { type Arg, argOf, type Node, type OpName, type Program } from "@pt2/graph";
import { isTrue, numberOf } from "./literals.ts";
import { argsOf, type RewriteContext, type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";
import { isSameSize, resultType } from "./types.ts";

const ATTENTION = "aten::scaled_dot_product_attention";

/**
 * Keys and values that are repeated, so that each head of queries has its own, are left as they were, and attention is told
 * that heads share them (`enable_gqa`): J. Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models from
 * Multi-Head Checkpoints", 2023.
 */
export function groupQueries(program: Program, target: RewriteTarget): Program {
  return target.has(ATTENTION) ? rewrite(program, new Map([[ATTENTION, RULE]]), target) : program;
}

const RULE: RewriteRule = (node, context) => {
  if (isTrue(argOf(node, "enable_gqa"))) return null;
  const shared = sharedHeads(argOf(node, "query"), argOf(node, "key"), argOf(node, "value"), context);
  if (shared === null) return null;
  const args = { ...argsOf(node), ...shared, enable_gqa: { kind: "bool", value: true } } as const;
  return context.emit(ATTENTION, args, resultType(node, context), node);
};

/** Keys and values before each of their heads was repeated as often, for queries of as many heads; null where they were not. */
export function sharedHeads(
  query: Arg | undefined,
  key: Arg | undefined,
  value: Arg | undefined,
  context: RewriteContext,
): { readonly key: Arg; readonly value: Arg } | null {
  const [k, v] = [unrepeated(key, context), unrepeated(value, context)];
  if (k === null || v === null) return null;
  const [heads, keyHeads, valueHeads] = [query, k, v].map((arg) => headsOf(arg, context));
  const isAlike = keyHeads !== undefined && keyHeads === valueHeads && heads !== undefined && heads > keyHeads;
  return isAlike && headsOf(key, context) === heads && headsOf(value, context) === heads ? { key: k, value: v } : null;
}

/** The heads of a tensor of four dimensions, if their number is known. */
function headsOf(arg: Arg | undefined, context: RewriteContext): number | undefined {
  const shape = context.tensor(arg)?.shape;
  const heads = shape?.length === 4 ? shape[1] : undefined;
  return typeof heads === "number" ? heads : undefined;
}

/** What a tensor of four dimensions was before each of its heads was repeated, one copy behind the other; null where none was. */
function unrepeated(arg: Arg | undefined, context: RewriteContext): Arg | null {
  const last = context.definition(arg);
  if (last === undefined) return null;
  const before =
    last.op === REPEAT ? repeatedBy(last) : last.op === EXPAND ? argOf(last, "self") : stretched(last, context);
  const [from, to] = [before, arg].map((one) => context.tensor(one)?.shape);
  const isRepeated = from?.length === 4 && to?.length === 4 && [0, 2, 3].every((d) => isSameSize(from[d], to[d]));
  // Only a single head is repeated by broadcasting.
  return isRepeated && (last.op !== EXPAND || from[1] === 1) ? before! : null;
}

const [REPEAT, EXPAND] = ["aten::repeat_interleave.self_int", "aten::expand"] as const;
const RESHAPES: ReadonlySet<OpName> = new Set(["aten::reshape", "aten::view", "aten::_unsafe_view"]);
const COPIES: ReadonlySet<OpName> = new Set(["aten::clone", "aten::contiguous"]);

function repeatedBy(node: Node): Arg | undefined {
  const dim = numberOf(argOf(node, "dim"));
  return dim === 1 || dim === -3 ? argOf(node, "self") : undefined;
}

/** x of reshape(expand(unsqueeze(x, 2))), where the second dimension takes in the one behind it. */
function stretched(last: Node, context: RewriteContext): Arg | undefined {
  if (!RESHAPES.has(last.op)) return undefined;
  const wide = argOf(last, "self");
  const copied = context.definition(wide);
  const expanded = copied && COPIES.has(copied.op) ? context.definition(argOf(copied, "self")) : copied;
  if (expanded?.op !== EXPAND) return undefined;
  const inserted = context.definition(argOf(expanded, "self"));
  const dim = numberOf(inserted && argOf(inserted, "dim"));
  if (inserted?.op !== "aten::unsqueeze" || (dim !== 2 && dim !== -3)) return undefined;
  const before = argOf(inserted, "self");
  const [from, to] = [before, wide].map((one) => context.tensor(one)?.shape);
  const isStretched =
    to?.length === 5 &&
    [0, 1].every((d) => isSameSize(from?.[d], to[d])) &&
    [2, 3].every((d) => isSameSize(from?.[d], to[d + 1]));
  return isStretched ? before : undefined;
}
