import {
  argOf,
  definitionsOf,
  type Graph,
  graphsOf,
  type Node,
  type OpName,
  type Program,
  usesOf,
  valuesOf,
} from "@pt2/graph";
import { hiddenWrites, type OpEffects } from "@pt2/graph/passes";

/** What the analysis needs to know about ops. */
export interface WriteAnalysis {
  /** Returns whether the dispatcher runs a node; a node that JavaScript runs writes to nothing. */
  isOp(node: Node): boolean;
  /** Returns what an op writes to and aliases; undefined where that is unknown. */
  effectsOf(op: OpName): OpEffects | undefined;
}

/**
 * Returns whether a run may change a weight or a buffer: by a write to it or to a view of it, or by a result that the
 * signature says is its new value. An unknown op counts as a write.
 */
export function writesState({ graph, inputs, outputs }: Program, analysis: WriteAnalysis): boolean {
  if (outputs.some(({ kind }) => kind === "buffer_mutation" || kind === "parameter_mutation")) return true;
  const state = inputs.flatMap((spec) => ("target" in spec ? [spec.value] : []));
  return writesTo(graph, state, analysis);
}

/** Returns whether a graph writes to one of these inputs. */
function writesTo(graph: Graph, inputs: readonly string[], analysis: WriteAnalysis): boolean {
  const views = new Set(inputs);
  const isView = (name: string): boolean => views.has(name);
  for (const node of graph.nodes) {
    const used = usesOf(node).filter(isView);
    if (used.length === 0) continue;
    const nested = graphsOf(node);
    if (nested.length > 0) {
      // Only the op knows to which input an operand is passed, so every operand may be any input.
      const everything = (inner: Graph): readonly string[] => inner.inputs.filter((name) => name !== null);
      if (nested.some(({ graph: inner }) => writesTo(inner, everything(inner), analysis))) return true;
      for (const name of definitionsOf(node)) views.add(name);
    } else if (analysis.isOp(node)) {
      const effects = analysis.effectsOf(node.op);
      if (effects === undefined || writtenBy(node, effects).some(isView)) return true;
      for (const name of aliasesOf(node, effects, isView)) views.add(name);
    } else for (const name of definitionsOf(node)) views.add(name);
  }
  return false;
}

/** Returns the values that a call of an op writes to. */
function writtenBy(node: Node, { mutates }: OpEffects): readonly string[] {
  const written = new Set([...mutates, ...hiddenWrites(node)]);
  return node.args.filter(({ name }) => written.has(name)).flatMap(({ arg }) => valuesOf(arg));
}

/** Returns the results that may be views of what `isView` names. */
function aliasesOf(node: Node, { aliases }: OpEffects, isView: (name: string) => boolean): readonly string[] {
  return node.outputs.flatMap((output, at) => {
    const args = aliases.flatMap((alias) => (alias.output === at ? (argOf(node, alias.arg) ?? []) : []));
    return args.flatMap(valuesOf).some(isView) ? definitionsOf({ ...node, outputs: [output] }) : [];
  });
}
