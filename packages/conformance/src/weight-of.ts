import type { HostTensor } from "@pt2/backend";
import { contiguousStrides, memoryStorage, type WeightTensor } from "@pt2/format";

/** The layout of a weight in its storage, if it is not dense. */
export interface WeightView extends Partial<Pick<WeightTensor, "shape" | "strides" | "storageOffset">> {
  /** The name of the storage, which tied weights share. Default: the name of the weight. */
  readonly storage?: string;
}

/** Makes a weight from a tensor in memory, as an archive would. */
export function weightOf(
  name: string,
  { dtype, shape: whole, bytes }: Pick<HostTensor, "dtype" | "shape" | "bytes">,
  view: WeightView = {},
): WeightTensor {
  const { shape = whole, strides = contiguousStrides(shape), storageOffset = 0, storage: id = name } = view;
  return {
    name,
    kind: "parameter",
    dtype,
    shape,
    strides,
    storageOffset,
    storage: memoryStorage(id, bytes.byteLength, () => bytes),
    requiresGrad: false,
    device: { type: "cpu", index: null },
  };
}
