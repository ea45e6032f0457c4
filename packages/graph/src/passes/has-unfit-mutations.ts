import type { Program, TensorType } from "../ir.ts";
import { sameSizes } from "../strides.ts";

/** Returns whether a result has not the dtype or shape of the buffer or parameter that it is the new value of. */
export function hasUnfitMutations({ graph, inputs, outputs }: Program): boolean {
  const values = new Map(inputs.flatMap((spec) => ("target" in spec ? [[spec.target, spec.value]] : [])));
  const typeOf = (name: string | null | undefined): TensorType | null => {
    const type = graph.values.get(name ?? "");
    return type?.kind === "tensor" ? type : null;
  };
  return outputs.some((spec, i) => {
    if (!("target" in spec) || !/r_mutation$/.test(spec.kind)) return false;
    const arg = graph.outputs[i];
    const [made, old] = [typeOf(arg?.kind === "value" ? arg.name : null), typeOf(values.get(spec.target))];
    return made !== null && old !== null && (made.dtype !== old.dtype || !sameSizes(made.shape, old.shape));
  });
}
