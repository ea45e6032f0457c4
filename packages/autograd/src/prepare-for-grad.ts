import { type OpName, type Program, stats } from "@pt2/graph";
import {
  canonicalizeStridedViews,
  type EffectsOf,
  eliminateDeadCode,
  foldSymbolicArithmetic,
  hasDraws,
  hasRegions,
  looksBehindViews,
  mutates,
  type OpEffects,
  removeNoOps,
} from "@pt2/graph/passes";
import type { OpRegistry } from "@pt2/registry";
import { DETACH, withDetachedRegions } from "./detached-regions.ts";

/**
 * Of a functional program: what `self` is once `src` was written to its memory past autograd, through a detached view.
 * The gradient is that of `self`.
 */
export const WITH_DATA: OpName = "autograd::with_data";
/** A detached tensor shares memory, but is not the same one. */
const DETACHED: OpEffects = {
  mutates: [],
  aliases: [{ output: 0, arg: "self" }],
  inverse: { scatter: WITH_DATA },
  claimed: true,
};

/** Makes a program functional, as `load` does, but keeps where gradients are cut off: `detach` and `no_grad`. */
export async function prepareForGrad(program: Program, registry: OpRegistry): Promise<Program> {
  const isClaimed = (op: string): boolean => op === DETACH || registry.isClaimed(op);
  await registry.load(stats(program.graph).map(({ op }) => op));
  const detached = { ...program, graph: withDetachedRegions(program.graph, registry.effectsOf) };
  const expanded = await withoutRegions(detached);
  const simple = removeNoOps(canonicalizeStridedViews(expanded, isClaimed), { isClaimed });
  await registry.load(stats(simple.graph).map(({ op }) => op));
  const functional = await functionalized(simple, registry);
  return eliminateDeadCode(foldSymbolicArithmetic(functional), {
    isPure: ({ op }) => {
      const record = registry.resolve(op);
      if (record === undefined || record.impure === true || record.schema.returns.length === 0) return false;
      return registry.effectsOf(op)?.mutates.length === 0;
    },
  });
}

async function withoutRegions(program: Program): Promise<Program> {
  if (!hasRegions(program.graph) && !hasDraws(program.graph)) return program;
  const { drawInMemoryOrder, expandAutocast, expandVmap } = await import("@pt2/graph/functionalize");
  return drawInMemoryOrder(expandVmap(expandAutocast(program)), "unknown");
}

async function functionalized(program: Program, registry: OpRegistry): Promise<Program> {
  const effectsOf: EffectsOf = (op) => (op === DETACH ? DETACHED : registry.effectsOf(op));
  if (!mutates(program.graph, effectsOf) && !looksBehindViews(program.graph)) return program;
  const { functionalize } = await import("@pt2/graph/functionalize");
  const made = functionalize(program, effectsOf);
  await registry.load(stats(made.graph).flatMap(({ op }) => (op === WITH_DATA ? [] : [op])));
  return made;
}
