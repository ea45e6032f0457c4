import { DTYPES } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";

/** Whether these tensor arguments, as far as given, hold floats: what is computed in float32 here. */
export function areFloats(...tensors: readonly (TensorMeta | null | undefined)[]): boolean {
  return tensors.every((tensor) => tensor === null || tensor === undefined || DTYPES[tensor.dtype].kind === "float");
}
