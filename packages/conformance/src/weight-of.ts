import type { HostTensor } from "@pt2/backend";
import { contiguousStrides, type WeightTensor } from "@pt2/format";

/** How a weight lies in its storage, where that is not its elements row by row. */
export interface WeightView extends Partial<Pick<WeightTensor, "shape" | "strides" | "storageOffset">> {
  /** Name of the storage, which tied weights share; default: that of the weight. */
  readonly storage?: string;
}

/** A tensor in memory as a weight, as an archive would give it. */
export function weightOf(
  name: string,
  { dtype, shape: whole, data }: Pick<HostTensor, "dtype" | "shape" | "data">,
  view: WeightView = {},
): WeightTensor {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const { shape = whole, strides = contiguousStrides(shape), storageOffset = 0, storage: id = name } = view;
  return {
    name,
    kind: "parameter",
    dtype,
    shape,
    strides,
    storageOffset,
    storage: {
      id,
      entry: id,
      nbytes: bytes.byteLength,
      async read({ into, signal } = {}) {
        signal?.throwIfAborted();
        into?.set(bytes);
        return into?.subarray(0, bytes.byteLength) ?? bytes;
      },
    },
    requiresGrad: false,
    device: { type: "cpu", index: null },
  };
}
