import {
  definitionsOf,
  type Graph,
  graphsOf,
  isStateMutation,
  type Node,
  type OpName,
  type Program,
  usesOf,
  valuesOf,
} from "@pt2/graph";
import { hiddenWrites, type OpEffects } from "@pt2/graph/passes";
import { aliasedBy } from "./aliased-by.ts";

/** What the analysis needs to know about ops. */
export interface WriteAnalysis {
  /** Returns whether the dispatcher runs a node; a node that JavaScript runs writes to nothing. */
  isOp(node: Node): boolean;
  /** Returns what an op writes to and aliases; undefined where that is unknown. */
  effectsOf(op: OpName): OpEffects | undefined;
}

/** What a run may change. */
export interface StateWrites {
  /** Whether it is anything. */
  readonly any: boolean;
  /** The `target`s of weights and buffers to which the program writes, in place. */
  readonly inPlace: ReadonlySet<string>;
}

/**
 * Returns which weights and buffers a run may change: by a write to one or to a view of it, or by a result that the
 * signature says is its new value. An unknown op counts as a write.
 */
export function writesState({ graph, inputs, outputs }: Program, analysis: WriteAnalysis): StateWrites {
  const state = new Map(inputs.flatMap((spec) => ("target" in spec ? [[spec.value, spec.target]] : [])));
  const inPlace = new Set([...writtenOf(graph, state.keys(), analysis)].map((value) => state.get(value)!));
  const isNewValue = outputs.some(isStateMutation);
  return { any: isNewValue || inPlace.size > 0, inPlace };
}

/** Returns to which of these inputs a graph may write. */
function writtenOf(graph: Graph, inputs: Iterable<string>, analysis: WriteAnalysis): ReadonlySet<string> {
  /** The inputs in whose memory a value may be. */
  const behind = new Map([...inputs].map((name) => [name, [name] as readonly string[]]));
  const memoryOf = (names: readonly string[]): readonly string[] => names.flatMap((name) => behind.get(name) ?? []);
  const written = new Set<string>();
  const write = (names: readonly string[]): void => {
    for (const input of memoryOf(names)) written.add(input);
  };
  const alias = (results: readonly string[], names: readonly string[]): void => {
    const memory = [...new Set(memoryOf(names))];
    if (memory.length > 0) for (const name of results) behind.set(name, memory);
  };
  for (const node of graph.nodes) {
    const used = usesOf(node).filter((name) => behind.has(name));
    if (used.length === 0) continue;
    const nested = graphsOf(node);
    const effects = nested.length === 0 && analysis.isOp(node) ? analysis.effectsOf(node.op) : undefined;
    if (effects !== undefined) {
      write(writtenBy(node, effects));
      for (const [at, output] of node.outputs.entries()) {
        alias(definitionsOf({ ...node, outputs: [output] }), aliasedBy(node, effects, at));
      }
      continue;
    }
    // Only the op knows to which input of a nested graph an operand is passed, so every operand may be any input.
    const writesToOne = nested.some(({ graph: inner }) => {
      const everything = inner.inputs.filter((name) => name !== null);
      return writtenOf(inner, everything, analysis).size > 0;
    });
    if (writesToOne || (nested.length === 0 && analysis.isOp(node))) write(used);
    alias(definitionsOf(node), used);
  }
  return written;
}

/** Returns the values that a call of an op writes to. */
function writtenBy(node: Node, { mutates }: OpEffects): readonly string[] {
  const written = new Set([...mutates, ...hiddenWrites(node)]);
  return node.args.filter(({ name }) => written.has(name)).flatMap(({ arg }) => valuesOf(arg));
}
