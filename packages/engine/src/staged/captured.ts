import type { Graph } from "@pt2/graph";
import { type ArgValue, type GraphBreak, isTensor, type LoweredTensor } from "@pt2/registry";

/** Where an op has the operands that it gives to its graphs in every call, behind all others. */
const POSITION: Readonly<Record<string, number>> = {
  "higher_order::cond": 3,
  "higher_order::while_loop": 3,
  "higher_order::scan": 3,
  "higher_order::map_impl": 2,
};

/** Tensors that a graph break's graphs take from memory, where they stay as they are: no run has to copy them. */
export interface Captured<View> {
  /** The graph break without them. */
  readonly end: GraphBreak;
  /** Returns them by the names that a graph of the graph break has for them. */
  in(graph: Graph): ReadonlyMap<string, View>;
}

/**
 * Finds what a graph break captures. `constant` returns where a tensor is that never changes, and undefined for others.
 */
export function capture<View>(end: GraphBreak, constant: (tensor: LoweredTensor) => View | undefined): Captured<View> {
  const nothing = { end, in: () => new Map<string, View>() };
  if (end.kind !== "control") return nothing;
  const position = POSITION[end.node.op];
  const given = position === undefined ? undefined : end.operands[position];
  if (!Array.isArray(given)) return nothing;
  const views = (given as readonly ArgValue[]).map((value) => (isTensor(value) ? constant(value) : undefined));
  if (views.every((view) => view === undefined)) return nothing;
  const rest = given.filter((_, i) => views[i] === undefined) as readonly ArgValue[];
  const operands = end.operands.map((operand, i) => (i === position ? (rest as ArgValue) : operand));
  const known = new Map<Graph, ReadonlyMap<string, View>>();
  return {
    end: { ...end, operands },
    in(graph) {
      const names = graph.inputs.slice(-views.length);
      const bound = known.get(graph) ?? new Map(names.flatMap((name, i) => pair(name, views[i])));
      known.set(graph, bound);
      return bound;
    },
  };
}

function pair<View>(name: string | null | undefined, view: View | undefined): readonly (readonly [string, View])[] {
  return typeof name === "string" && view !== undefined ? [[name, view]] : [];
}
