import type { TensorMeta } from "./tensor-meta.ts";

/** Returns whether an index says of each element whether it is selected; how many these are is known only at run time. */
export function isMask(index: Pick<TensorMeta, "dtype"> | null): boolean {
  return index !== null && (index.dtype === "bool" || index.dtype === "uint8");
}
