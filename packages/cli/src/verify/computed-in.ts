import type { DType } from "@pt2/format";
import { definitionsOf, type Graph, graphsOf, type Node, type Program, usesOf } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";

/** Floating-point dtypes, and the parts of complex ones, from the most precise to the least. */
const PRECISIONS: readonly DType[] = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"];

/** Ops besides views that only move elements, or convert them. */
const MOVES = new RegExp(
  `^(aten::(${[
    "(to|type_as|_to_copy|clone|contiguous|reshape|flatten|cat|stack|roll|flip|repeat|repeat_interleave|tile)",
    "(chunk|split|split_with_sizes|unbind|tensor_split|pad|constant_pad_nd|reflection_pad\\dd|replication_pad\\dd)",
    "(index|index_select|gather|embedding|pixel_shuffle|pixel_unshuffle|channel_shuffle|lift_fresh_copy)",
  ].join("|")})(\\.|$)|prims::convert_element_type(\\.|$))`,
);

type Records = Pick<OpRegistry, "resolve">;

/**
 * Returns the least precise dtype that values of a program are computed in, or rounded to, on the way to each of them: where
 * it is less precise than that of a value, so is the value. What is only given in a dtype does not count: weights that are
 * stored in half precision are exact, and so is what moves or converts them, or is made of nothing.
 */
export function computedIn(program: Program, records: Records): ReadonlyMap<string, DType> {
  const found = new Map<string, number>();
  visit(program.graph, records, found);
  const least = [...found].filter(([, precision]) => precision >= 0);
  return new Map(least.map(([name, precision]) => [name, PRECISIONS[precision]!]));
}

/** Notes the precision of each value of a graph; returns the least precise of all. */
function visit(graph: Graph, records: Records, found: Map<string, number>): number {
  const given = new Set(graph.inputs);
  let least = -1;
  for (const node of graph.nodes) {
    const used = usesOf(node);
    const defined = definitionsOf(node);
    const isGiven = used.length === 0 || (moves(node, records) && used.every((name) => given.has(name)));
    if (isGiven) {
      for (const name of defined) given.add(name);
      continue;
    }
    const inside = graphsOf(node).map(({ graph: inner }) => visit(inner, records, new Map()));
    const before = Math.max(-1, ...inside, ...used.map((name) => found.get(name) ?? -1));
    for (const name of defined) {
      const precision = Math.max(before, precisionOf(graph, name));
      found.set(name, precision);
      least = Math.max(least, precision);
    }
  }
  return least;
}

function moves({ op }: Node, records: Records): boolean {
  return MOVES.test(op) || records.resolve(op)?.view !== undefined;
}

/** Returns where the dtype of a value is in {@link PRECISIONS}; -1 for what is no floating-point tensor. */
function precisionOf({ values }: Graph, name: string): number {
  const type = values.get(name);
  return type?.kind === "tensor" ? rankOf(type.dtype) : -1;
}

function rankOf(dtype: DType): number {
  return PRECISIONS.indexOf(dtype === "complex128" ? "float64" : dtype === "complex64" ? "float32" : dtype);
}

/** Returns the dtype whose tolerance a value has: what it is computed in, if that is less precise than its own. */
export function tolerated(own: DType, computed: DType | undefined): DType {
  if (computed === undefined || rankOf(own) < 0) return own;
  return rankOf(computed) > rankOf(own) ? computed : own;
}
