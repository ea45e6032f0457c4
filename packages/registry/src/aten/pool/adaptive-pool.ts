import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, range } from "../support/dims.ts";
import { emit } from "../support/emit.ts";
import { checkImage } from "./window.ts";

/** Defines average pooling to a given size, in one and two dimensions. */
export const ADAPTIVE_POOL_OPS: readonly OpRecord[] = [
  defineOp("aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor", {
    window: { rank: 1, reduce: "mean" },
    decompose: ({ self, output_size }, b) => {
      const e = emit(b);
      const args = { self: e.unsqueeze(self, -2), output_size: [1, ...output_size] };
      return e.squeeze(b.tensor("aten::adaptive_avg_pool2d", args), -2);
    },
  }),
  defineOp("aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor", {
    window: { rank: 2, reduce: "mean" },
    decompose: ({ self, output_size }, b) =>
      global(b, self, output_size, 2) ?? b.tensor("aten::_adaptive_avg_pool2d", { self, output_size }),
  }),
  defineOp("aten::_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor", {
    window: { rank: 2, reduce: "mean" },
    infer: ({ self, output_size }) => resized("adaptive_avg_pool2d", self, output_size, 2),
    decompose: ({ self, output_size }, b) => averages(b, self, output_size),
  }),
];

/** Infers the result of pooling to `size`. */
export function resized(op: string, self: TensorMeta, size: readonly number[], spatial: number): TensorMeta {
  check(
    size.length === spatial && size.every((n) => n >= 0),
    () => `${op}: output_size must be ${spatial} non-negative ints, but got ${show(size)}`,
  );
  checkImage(op, self, spatial);
  return { dtype: self.dtype, shape: [...self.shape.slice(0, -spatial), ...size] };
}

/** Pools to one element, which is a mean. */
export function global(b: Builder, self: TensorMeta, size: readonly number[], spatial: number): TensorMeta | null {
  if (size.length !== spatial || !size.every((n) => n === 1)) return null;
  const rank = self.shape.length;
  checkImage("adaptive_avg_pool", self, size.length);
  return emit(b).mean(self, range(rank).slice(rank - size.length), true);
}

/** Returns `[start, end)` of every window; windows overlap if the sizes do not divide. */
export function windows(size: number, count: number): readonly (readonly [number, number])[] {
  return range(count).map((i) => [Math.floor((i * size) / count), Math.ceil(((i + 1) * size) / count)] as const);
}

/** Computes one dimension after the other: a mean over a rectangle is a mean of means. */
export function averages(b: Builder, self: TensorMeta, size: readonly number[]): TensorMeta | null {
  if (numel(size) === 0) return null;
  const e = emit(b);
  const first = self.shape.length - size.length;
  return size.reduce((x, count, i) => {
    const dim = first + i;
    const parts = windows(x.shape[dim]!, count).map(([start, end]) => e.mean(e.slice(x, dim, start, end), [dim], true));
    return e.cat(parts, dim);
  }, self);
}
