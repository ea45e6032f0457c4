import { hostTensor } from "@pt2/backend";
import { contiguousStrides, type DType, memoryStorage, numel, type WeightTensor } from "@pt2/format";

/** Makes a weight of a tensor in memory; a parameter requires gradients. Weights with the same `storage` name share memory in a file. */
export function memoryWeight(
  name: string,
  kind: WeightTensor["kind"],
  { dtype, shape, bytes }: { readonly dtype: DType; readonly shape: readonly number[]; readonly bytes: Uint8Array },
  storage = `trained:${name}`,
): WeightTensor {
  return {
    name,
    kind,
    dtype,
    shape,
    strides: contiguousStrides(shape),
    storageOffset: 0,
    storage: memoryStorage(storage, bytes.byteLength, () => bytes),
    requiresGrad: kind === "parameter",
    device: { type: "cpu", index: null },
  };
}

/** Makes a weight whose elements are all one number. */
export function filledWeight(name: string, dtype: DType, shape: readonly number[], value: number): WeightTensor {
  const numbers = new (dtype === "float64" ? Float64Array : Float32Array)(numel(shape)).fill(value);
  return memoryWeight(name, "buffer", hostTensor(dtype, shape, numbers));
}
