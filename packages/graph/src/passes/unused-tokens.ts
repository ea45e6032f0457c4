import type { Program } from "../ir.ts";
import { usesOf } from "../query/node-values.ts";

/** Drops effect tokens that go straight from an input to a result: they order nothing. */
export function dropUnusedTokens(program: Program): Program {
  const { graph, inputs, outputs } = program;
  const unused = new Set(inputs.flatMap((spec) => (spec.kind === "token" ? [spec.value] : [])));
  for (const node of unused.size > 0 ? graph.nodes : []) for (const name of usesOf(node)) unused.delete(name);
  if (unused.size === 0) return program;
  const isKept = (name: string | null): boolean => name === null || !unused.has(name);
  const stays = graph.outputs.map((arg) => arg.kind !== "value" || isKept(arg.name));
  return {
    ...program,
    graph: {
      ...graph,
      inputs: graph.inputs.filter(isKept),
      outputs: graph.outputs.filter((_, i) => stays[i]),
      values: new Map([...graph.values].filter(([name]) => isKept(name))),
    },
    inputs: inputs.filter((spec) => spec.kind !== "token" || isKept(spec.value)),
    outputs: outputs.filter((_, i) => stays[i]),
  };
}
