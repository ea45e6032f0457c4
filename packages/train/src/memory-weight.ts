import { contiguousStrides, DTYPES, type DType, numel, type WeightTensor } from "@pt2/format";

/** Makes a weight of a tensor in memory. Weights with the same `storage` name share memory in a file. */
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
    storage: {
      id: storage,
      entry: storage,
      nbytes: bytes.byteLength,
      async read({ into, signal } = {}) {
        signal?.throwIfAborted();
        into?.set(bytes);
        return into?.subarray(0, bytes.byteLength) ?? bytes;
      },
    },
    requiresGrad: kind === "parameter",
    device: { type: "cpu", index: null },
  };
}

/** Makes a weight whose elements are all one number. */
export function filledWeight(name: string, dtype: DType, shape: readonly number[], value: number): WeightTensor {
  const bytes = new Uint8Array(numel(shape) * DTYPES[dtype].itemsize);
  if (value !== 0) {
    if (dtype === "float64") new Float64Array(bytes.buffer).fill(value);
    else new Float32Array(bytes.buffer).fill(value);
  }
  return memoryWeight(name, "buffer", { dtype, shape, bytes });
}
