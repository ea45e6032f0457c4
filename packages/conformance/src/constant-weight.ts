import { numel } from "@pt2/backend";
import type { DType, WeightTensor } from "@pt2/format";

/** A weight in memory, as an archive would give it. Without strides it is row-major. */
export function constantWeight(
  name: string,
  dtype: DType,
  shape: readonly number[],
  bytes: Uint8Array,
  strides: readonly number[] = shape.map((_, d) => numel(shape.slice(d + 1))),
  storageOffset = 0,
): WeightTensor {
  return {
    name,
    kind: "constant",
    dtype,
    shape,
    strides,
    storageOffset,
    storage: {
      id: name,
      record: `data/constants/${name}`,
      nbytes: bytes.byteLength,
      async read({ into } = {}) {
        into?.set(bytes);
        return into?.subarray(0, bytes.byteLength) ?? bytes;
      },
    },
    requiresGrad: false,
    device: { type: "cpu", index: null },
  };
}
