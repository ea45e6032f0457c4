import type { Graph, InputSpec, Program } from "../ir.ts";

/**
 * Makes a program of a graph without a calling convention: runs take and return leaves. All results are the caller's, and
 * all inputs are, unless `inputs` says what each is.
 */
export function bareProgram(
  graph: Graph,
  inputs: readonly InputSpec[] = graph.inputs.map((value) => ({ kind: "user_input", value })),
): Program {
  return {
    graph,
    inputs,
    outputs: graph.outputs.map(() => ({ kind: "user_output" })),
    ranges: new Map(),
    inSpec: null,
    outSpec: null,
    namedTuples: new Map(),
    forwardArgs: [],
    dialect: "ATEN",
    torchVersion: "",
  };
}
