import { isContiguous } from "@pt2/format";
import type { Strided } from "../../tensor-meta.ts";
import { viewStrides } from "../../view.ts";
import { check, show } from "../support/check.ts";
import { numel, wrapDim } from "../support/dims.ts";

/** Clamps an index as PyTorch's slices do; an end may be saturated, such as 2^63 - 1. */
function clampIndex(index: number, size: number): number {
  const from = index < 0 ? index + size : index;
  return Math.max(0, Math.min(size, from));
}

/** Replaces the one `-1` in sizes, like `infer_size`. */
export function inferSize(sizes: readonly number[], count: number): readonly number[] {
  const open = sizes.indexOf(-1);
  check(open < 0 || sizes.indexOf(-1, open + 1) < 0, "only one dimension can be inferred");
  const bad = sizes.find((size) => size < -1);
  check(bad === undefined, () => `invalid shape dimension ${bad}`);
  const known = numel(sizes.filter((_, d) => d !== open));
  check(open < 0 ? known === count : known > 0 && count % known === 0, () =>
    open >= 0 && known === 0
      ? `cannot reshape tensor of ${count} elements into shape ${show(sizes)} because the unspecified dimension size -1 can be any value and is ambiguous`
      : `shape '${show(sizes)}' is invalid for input of size ${count}`,
  );
  return open < 0 ? sizes : sizes.map((size, d) => (d === open ? count / known : size));
}

/** Returns the same elements in another shape, or null if that needs a copy. */
export function reshapeTo(self: Strided, sizes: readonly number[]): Strided | null {
  const shape = inferSize(sizes, numel(self.shape));
  const strides = viewStrides(self, shape);
  return strides && { shape, strides, offset: self.offset };
}

/** Repeats dimensions of size 1 by a stride of 0; `-1` keeps a size. */
export function expandTo(self: Strided, sizes: readonly number[]): Strided {
  const shift = sizes.length - self.shape.length;
  check(
    shift >= 0,
    () =>
      `expand(${show(self.shape)}, size=${show(sizes)}): the number of sizes provided (${sizes.length}) must be greater or equal to the number of dimensions in the tensor (${self.shape.length})`,
  );
  const strides: number[] = [];
  const shape = sizes.map((wanted, d) => {
    const own = d < shift ? undefined : self.shape[d - shift]!;
    const size = wanted === -1 ? (own ?? -1) : wanted;
    check(
      size >= 0,
      () => `The expanded size of the tensor (${wanted}) isn't allowed in a leading, non-existing dimension ${d}`,
    );
    check(
      own === undefined || own === size || own === 1,
      () =>
        `The expanded size of the tensor (${size}) must match the existing size (${own}) at non-singleton dimension ${d}.  Target sizes: ${show(sizes)}.  Tensor sizes: ${show(self.shape)}`,
    );
    strides.push(own === size ? self.strides[d - shift]! : 0);
    return size;
  });
  return { shape, strides, offset: self.offset };
}

/** Permutes the dimensions. */
export function permuteTo(self: Strided, dims: readonly number[]): Strided {
  const rank = self.shape.length;
  check(
    dims.length === rank,
    () =>
      `permute: number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = ${rank} is not equal to len(dims) = ${dims.length}`,
  );
  const order = dims.map((dim) => wrapDim(dim, rank));
  check(new Set(order).size === rank, "permute(): duplicate dims are not allowed.");
  return {
    shape: order.map((d) => self.shape[d]!),
    strides: order.map((d) => self.strides[d]!),
    offset: self.offset,
  };
}

/** Swaps two dimensions; a 0-d tensor is unchanged. */
export function swap(self: Strided, dim0: number, dim1: number): Strided {
  const rank = self.shape.length;
  const [a, b] = [wrapDim(dim0, rank), wrapDim(dim1, rank)];
  if (rank === 0) return self;
  return permuteTo(
    self,
    self.shape.map((_, d) => (d === a ? b : d === b ? a : d)),
  );
}

/** Selects one index of one dimension. */
export function selectAt(self: Strided, dim: number, index: number): Strided {
  check(self.shape.length > 0, "select() cannot be applied to a 0-dim tensor.");
  const d = wrapDim(dim, self.shape.length);
  const size = self.shape[d]!;
  check(
    index >= -size && index < size,
    () => `select(): index ${index} out of range for tensor of size ${show(self.shape)} at dimension ${d}`,
  );
  const at = index < 0 ? index + size : index;
  return { ...dropDims(self, [d]), offset: self.offset + at * self.strides[d]! };
}

/** Slices `self[start:end:step]` along a dimension, clamped as in Python. */
export function sliceOf(self: Strided, dim: number, start: number | null, end: number | null, step: number): Strided {
  check(self.shape.length > 0, "slice() cannot be applied to a 0-dim tensor.");
  check(step > 0, "slice step must be positive");
  const d = wrapDim(dim, self.shape.length);
  const size = self.shape[d]!;
  const from = clampIndex(start ?? 0, size);
  const to = Math.max(from, clampIndex(end ?? size, size));
  return {
    shape: self.shape.map((length, i) => (i === d ? Math.ceil((to - from) / step) : length)),
    strides: self.strides.map((stride, i) => (i === d ? stride * step : stride)),
    offset: self.offset + from * self.strides[d]!,
  };
}

/** Drops the dimensions `dims`. */
export function dropDims(self: Strided, dims: readonly number[]): Strided {
  const keep = (_: number, d: number): boolean => !dims.includes(d);
  return { shape: self.shape.filter(keep), strides: self.strides.filter(keep), offset: self.offset };
}

/** Inserts a dimension of size 1 at `dim`. */
export function insertDim(self: Strided, dim: number): Strided {
  const rank = self.shape.length;
  const d = wrapDim(dim, rank + 1);
  const stride = d >= rank ? 1 : self.shape[d]! * self.strides[d]!;
  return {
    shape: [...self.shape.slice(0, d), 1, ...self.shape.slice(d)],
    strides: [...self.strides.slice(0, d), stride, ...self.strides.slice(d)],
    offset: self.offset,
  };
}

/** Returns the given strides over the tensor's elements in row-major order; null if the elements are not contiguous. */
export function restrided(
  self: Strided,
  shape: readonly number[],
  strides: readonly number[],
  offset: number | null,
): Strided | null {
  check(shape.length === strides.length, "mismatch in length of strides and shape");
  check(
    strides.every((stride) => stride >= 0),
    "as_strided: Negative strides are not supported at the moment",
  );
  check((offset ?? 0) >= 0, () => `Storage offset must be non-negative, got ${offset}`);
  if (!isContiguous(self)) return null;
  return { shape, strides, offset: self.offset + (offset ?? 0) };
}
