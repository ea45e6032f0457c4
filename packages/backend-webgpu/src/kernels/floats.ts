import { DTYPES } from "@pt2/format";
import type { ArgValue, TensorMeta } from "@pt2/registry";

/** Whether the tensor arguments of these names, as far as given, hold floats: what is computed in float32 here. */
export function areFloats(args: Readonly<Record<string, ArgValue>>, ...names: readonly string[]): boolean {
  return names.every((name) => {
    const value = args[name] as TensorMeta | null | undefined;
    return value === null || value === undefined || DTYPES[value.dtype].kind === "float";
  });
}
