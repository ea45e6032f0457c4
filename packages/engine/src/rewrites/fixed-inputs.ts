import { type Program, usesOf } from "@pt2/graph";

/** Parameters, buffers and constants that no run changes, by the name of their value. */
export function fixedInputs({ graph, inputs, outputs }: Program): readonly string[] {
  const changed = new Set(outputs.flatMap((spec) => ("target" in spec ? spec.target : [])));
  // In a functional program only the copies that end a run write to anything.
  const written = new Set(graph.nodes.flatMap((node) => (node.op === "aten::copy_" ? usesOf(node).slice(0, 1) : [])));
  return inputs.flatMap((spec) => {
    if (spec.kind !== "parameter" && spec.kind !== "buffer" && spec.kind !== "tensor_constant") return [];
    return changed.has(spec.target) || written.has(spec.value) ? [] : [spec.value];
  });
}
