import {
  definitionsOf,
  type Graph,
  type InputSpec,
  type Node,
  type OutputSpec,
  type Program,
  usesOf,
} from "@pt2/graph";
import { eliminateDeadCode, liveness } from "@pt2/graph/passes";

/** A value of a program, with the node that defines it. */
export interface Definition {
  readonly value: string;
  readonly node: Node;
}

/** Returns the values of a program in the order of its nodes: used ones except objects, which cannot be returned. */
export function definedValues({ graph }: Program): readonly Definition[] {
  const { uses } = liveness(graph);
  return graph.nodes.flatMap((node) =>
    definitionsOf(node)
      .filter((value) => uses.get(value) !== 0 && graph.values.get(value)?.kind !== "object")
      .map((value) => ({ value, node })),
  );
}

/** Replaces a program's results by values of its graph, and removes unused nodes. */
export function withResults(program: Program, values: readonly string[]): Program {
  const outputs: readonly OutputSpec[] = values.map(() => ({ kind: "user_output" }));
  const graph: Graph = { ...program.graph, outputs: values.map((name) => ({ kind: "value", name })) };
  return eliminateDeadCode({ ...program, graph, outputs, outSpec: null }, { isPure: () => true });
}

/** Creates a program of one node. The node's operands become user inputs, except weights; `results` are returned. */
export function nodeProgram(program: Program, node: Node, results: readonly string[]): Program {
  const weights = new Map(program.inputs.flatMap((spec) => (isWeight(spec) ? [[spec.value, spec] as const] : [])));
  const read = [...new Set(usesOf(node))];
  const types = [...read, ...definitionsOf(node)].flatMap((name) => {
    const type = program.graph.values.get(name);
    return type === undefined ? [] : [[name, type] as const];
  });
  const inputs: readonly InputSpec[] = read.map((value) => weights.get(value) ?? { kind: "user_input", value });
  const graph: Graph = {
    inputs: read,
    nodes: [node],
    outputs: results.map((name) => ({ kind: "value", name })),
    values: new Map(types),
  };
  const outputs: readonly OutputSpec[] = results.map(() => ({ kind: "user_output" }));
  return { ...program, graph, inputs, outputs, inSpec: null, outSpec: null };
}

/** Returns the user inputs of a node's program, in order. */
export function operandsOf({ inputs }: Program): readonly string[] {
  return inputs.flatMap((spec) => (spec.kind === "user_input" && spec.value !== null ? spec.value : []));
}

function isWeight(spec: InputSpec): spec is InputSpec & { readonly value: string; readonly target: string } {
  return spec.kind === "parameter" || spec.kind === "buffer" || spec.kind === "tensor_constant";
}
