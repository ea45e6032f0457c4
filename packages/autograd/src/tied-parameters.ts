import type { WeightTensor } from "@pt2/format";
import { requireOptions } from "@pt2/format/options";
import { type InputSpec, type Program, requireProgram } from "@pt2/graph";
import { Substitution } from "@pt2/graph/passes";

/**
 * Makes parameters that share memory one: every use is of the first of them, as in PyTorch, where a gradient is the sum
 * over all uses. `tied` has the names of the others, each with the name of the first.
 */
export function tieParameters(
  program: Program,
  weights: ReadonlyMap<string, WeightTensor>,
): { readonly program: Program; readonly tied: ReadonlyMap<string, string> } {
  requireProgram("tieParameters()", program, "autograd.options");
  requireOptions("tieParameters()", { weights }, { weights: "Map" }, "autograd.options", "weights");
  const { graph } = program;
  const first = new Map<string, Extract<InputSpec, { readonly kind: "parameter" }>>();
  const replaced = new Substitution();
  const tied = new Map<string, string>();
  for (const spec of program.inputs) {
    const weight = spec.kind === "parameter" ? weights.get(spec.target) : undefined;
    if (spec.kind !== "parameter" || weight === undefined) continue;
    const { storage, dtype, shape, strides, storageOffset } = weight;
    const key = JSON.stringify([storage.id, dtype, shape, strides, storageOffset]);
    const known = first.get(key);
    if (known === undefined) {
      first.set(key, spec);
      continue;
    }
    tied.set(spec.target, known.target);
    replaced.set(spec.value, { kind: "value", name: known.value });
  }
  if (tied.size === 0) return { program, tied };
  const isGone = (spec: InputSpec): boolean => spec.kind === "parameter" && tied.has(spec.target);
  return {
    program: {
      ...program,
      graph: {
        ...graph,
        inputs: graph.inputs.filter((_, i) => !isGone(program.inputs[i]!)),
        nodes: graph.nodes.map((node) => replaced.node(node)),
        outputs: graph.outputs.map((arg) => replaced.arg(arg)),
      },
      inputs: program.inputs.filter((spec) => !isGone(spec)),
    },
    tied,
  };
}
