import type { DType } from "@pt2/format";
import { trainError } from "./train-errors.ts";
import type { UpdateBuilder, Value } from "./update-builder.ts";
import type { Trained, TrainingOptions } from "./with-optimizer.ts";

const PARTS: ReadonlyMap<DType, DType> = new Map([
  ["complex32", "float16"],
  ["complex64", "float32"],
  ["complex128", "float64"],
]);

/**
 * Replaces complex numbers by their real and imaginary parts, which optimizers take as elements of their own. Refuses to limit
 * elements that are complex, as PyTorch does.
 */
export function inReal(trained: Trained, { clipValue }: TrainingOptions, u: UpdateBuilder): Trained {
  const { parameter, gradient, target } = trained;
  const part = PARTS.get(parameter.dtype);
  if (part === undefined) return trained;
  if (clipValue !== null) {
    throw trainError("train.options", {
      what: `clipValue limits elements, and \`${target}\` has complex ones`,
      advice: "Limit the norm of all gradients with clipNorm, or leave that parameter out of what is trained.",
      details: { name: target },
    });
  }
  const parts = { dtype: part, shape: [...parameter.shape, 2] };
  const view = (self: Value): Value => u.op("aten::view_as_real", { self }, parts);
  return { ...trained, parameter: view(parameter), gradient: view(gradient), complex: parameter };
}
