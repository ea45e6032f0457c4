import { type Graph, type Node, usesOf } from "@pt2/graph";
import { compilePointwise, type PointwiseCode, type PointwiseValue } from "./pointwise-code.ts";

/** An elementwise node, and what it computes. */
export interface Member extends PointwiseValue {
  readonly node: Node;
  /** The operand whose layout the result has: PyTorch takes that of the first with more than one element. */
  readonly model: string;
  /** The sizes of the result, and what its layout comes from in the end. */
  readonly layout: string;
}

export interface Group {
  readonly layout: string;
  /** In an order in which they can be computed. */
  readonly members: readonly Member[];
  readonly code: PointwiseCode;
  /** The node whose place the group takes. */
  readonly place: Node;
}

/** The nodes that read each value; null stands for the results of the graph. */
export type Readers = ReadonlyMap<string, readonly (Node | null)[]>;

/** Compiles a group, which takes the place of its last node unless told otherwise; null where it does not fit the kernel. */
export function grouped(
  { layout, members }: Pick<Group, "layout" | "members">,
  readers: Readers,
  place: Node = members.at(-1)!.node,
): Group | null {
  const nodes = new Set<Node | null>(members.map(({ node }) => node));
  const inside = new Set(members.map(({ name }) => name));
  const first = members.map(({ model }) => model).find((name) => !inside.has(name))!;
  const isLive = (name: string): boolean => (readers.get(name) ?? []).some((reader) => !nodes.has(reader));
  const code = compilePointwise(members, first, isLive);
  return code && { layout, members, code, place };
}

export function readersOf({ nodes, outputs }: Graph): Readers {
  const readers = new Map<string, (Node | null)[]>();
  const add = (name: string, reader: Node | null): void => {
    const others = readers.get(name);
    if (others === undefined) readers.set(name, [reader]);
    else others.push(reader);
  };
  for (const node of nodes) for (const name of usesOf(node)) add(name, node);
  for (const arg of outputs) {
    for (const one of arg.kind === "list" ? arg.items : [arg]) if (one.kind === "value") add(one.name, null);
  }
  return readers;
}
