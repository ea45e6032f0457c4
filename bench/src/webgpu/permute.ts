import type { HostTensor } from "@pt2/backend";
import { numel } from "@pt2/format";

/** The elements of a row-major tensor and its shape after `permute`. */
export interface Permuted {
  readonly data: Float32Array<ArrayBuffer>;
  readonly shape: readonly number[];
}

/** Returns the elements of `tensor.permute(dims)`, row-major: the layout that another runtime prefers. */
export function permute({ data, shape }: Pick<HostTensor, "data" | "shape">, dims: readonly number[]): Permuted {
  const strides = shape.map((_, dim) => numel(shape.slice(dim + 1)));
  const sizes = dims.map((dim) => shape[dim]!);
  const steps = dims.map((dim) => strides[dim]!);
  const result = new Float32Array(data.length);
  const index = dims.map(() => 0);
  for (let at = 0, from = 0; at < result.length; at++) {
    result[at] = Number(data[from]);
    for (let dim = dims.length - 1; dim >= 0; dim--) {
      from += steps[dim]!;
      if (++index[dim]! < sizes[dim]!) break;
      from -= steps[dim]! * sizes[dim]!;
      index[dim] = 0;
    }
  }
  return { data: result, shape: sizes };
}
