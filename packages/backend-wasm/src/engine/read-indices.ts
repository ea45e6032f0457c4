import { indexError } from "@pt2/engine";
import { numbers } from "./element-access.ts";
import type { KernelCall } from "./kernel.ts";
import { addressOf, type TensorView } from "./tensor-view.ts";

/**
 * Reads a row-major tensor of indices into `rows`, as positions from the start of a dimension of `size`. Negative ones
 * count from the end where `wraps`. Refuses an index outside of the dimension before anything is written.
 */
export function readIndices(
  { heap, call }: Pick<KernelCall, "heap" | "call">,
  index: TensorView,
  rows: Int32Array,
  { dim, size, wraps = false }: { readonly dim: number; readonly size: number; readonly wraps?: boolean },
): void {
  const least = wraps ? -size : 0;
  if (index.dtype !== "int64") {
    const at = numbers(heap, index);
    for (let i = 0; i < rows.length; i++) {
      const value = at.get(i);
      if (value < least || value >= size) throw indexError(value, dim, size, call);
      rows[i] = value < 0 ? value + size : value;
    }
    return;
  }
  // A bigint for each element would cost more than the rest of most ops.
  const words = heap.i32;
  for (let i = 0, at = addressOf(index) / 4; i < rows.length; i++, at += 2) {
    const low = words[at]!;
    if (low < least || low >= size || words[at + 1] !== low >> 31) {
      throw indexError(Number(heap.i64[at / 2]), dim, size, call);
    }
    rows[i] = low < 0 ? low + size : low;
  }
}
