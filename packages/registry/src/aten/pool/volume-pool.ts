import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { numel } from "../support/dims.ts";
import { emit } from "../support/emit.ts";
import { averages, global, resized } from "./adaptive-pool.ts";
import { type AvgPool, averaged } from "./avg-pool.ts";
import { type MaxPool, type Pooled, planar, pooled } from "./max-pool.ts";
import { type Window, windowOf } from "./window.ts";

/** Defines pooling in three dimensions. */
export const VOLUME_POOL_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
    {
      window: { rank: 3, reduce: "max" },
      infer: (args) => pooled("max_pool3d", args, 3),
      decompose: (args, b) => volumeMaxima(b, args),
    },
  ),
  defineOp(
    "aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor",
    {
      window: { rank: 3, reduce: "max" },
      decompose: (args, b) => b.call("aten::max_pool3d_with_indices", { ...args })[0],
    },
  ),
  defineOp(
    "aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    {
      window: { rank: 3, reduce: "mean" },
      infer: (args) => averaged("avg_pool3d", args, 3),
      decompose: (args, b) => volumeAverages(b, args),
    },
  ),
  defineOp("aten::adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor", {
    window: { rank: 3, reduce: "mean" },
    decompose: ({ self, output_size }, b) =>
      global(b, self, output_size, 3) ?? b.tensor("aten::_adaptive_avg_pool3d", { self, output_size }),
  }),
  defineOp("aten::_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor", {
    window: { rank: 3, reduce: "mean" },
    infer: ({ self, output_size }) => resized("adaptive_avg_pool3d", self, output_size, 3),
    decompose: ({ self, output_size }, b) => averages(b, self, output_size),
  }),
];

/** Pools within planes first, then across planes; the position is the one within the winning plane. */
function volumeMaxima(b: Builder, args: MaxPool): Pooled {
  const e = emit(b);
  const { kernel, stride, padding, dilation } = windowOf("max_pool3d", args, 3);
  const lead = args.self.shape.slice(0, -3);
  const [depth, height, width] = args.self.shape.slice(-3) as [number, number, number];
  const pool = (self: TensorMeta, dims: readonly number[]): Pooled => {
    const pick = (list: readonly number[], rest: number): readonly number[] =>
      dims.length === 2 ? [list[1]!, list[2]!] : [list[0]!, rest];
    const window = {
      kernel_size: pick(kernel, 1),
      stride: pick(stride, 1),
      padding: pick(padding, 0),
      dilation: pick(dilation, 1),
    };
    return planar(b, { self, ...window, ceil_mode: args.ceil_mode });
  };
  const batch = numel(lead);
  const planes = pool(e.reshape(args.self, [batch, depth, height, width]), [1, 2]);
  const [rows, columns] = planes[0].shape.slice(-2) as [number, number];
  const area = rows * columns;
  const [values, winners] = pool(e.reshape(planes[0], [batch, depth, area]), [0]);
  const plane = b.tensor("aten::div.Tensor_mode", { self: winners, other: area, rounding_mode: "floor" });
  const within = b.tensor("aten::gather", { self: e.reshape(planes[1], [batch, depth, area]), dim: 1, index: plane });
  const shape = [...lead, values.shape[1]!, rows, columns];
  return [e.reshape(values, shape), e.reshape(e.add(e.mul(plane, height * width), within), shape)];
}

/** Sums within planes, then across planes, and divides by the number of summed elements. */
function volumeAverages(b: Builder, args: AvgPool): TensorMeta | null {
  const e = emit(b);
  const window = windowOf("avg_pool3d", args, 3);
  const padded = window.padding.some((p) => p > 0);
  // In ceil mode a window that extends beyond the padding counts only the part of it inside the padding.
  if (args.ceil_mode && args.count_include_pad && padded && args.divisor_override === null) return null;
  const total = windowSums(b, args.self, window);
  const whole = args.divisor_override ?? numel(window.kernel);
  if (args.divisor_override !== null || (!args.ceil_mode && (args.count_include_pad || !padded)))
    return e.div(total, { float: whole });
  const ones = e.full([1, ...args.self.shape.slice(-3)], 1, args.self.dtype);
  return e.div(total, windowSums(b, ones, window));
}

function windowSums(b: Builder, self: TensorMeta, { kernel, stride, padding, ceil }: Window): TensorMeta {
  const e = emit(b);
  const lead = self.shape.slice(0, -3);
  const [depth, height, width] = self.shape.slice(-3) as [number, number, number];
  const options = { ceil_mode: ceil, count_include_pad: true, divisor_override: 1 };
  const planes = b.tensor("aten::avg_pool2d", {
    self: e.reshape(self, [numel(lead), depth, height, width]),
    kernel_size: kernel.slice(1),
    stride: stride.slice(1),
    padding: padding.slice(1),
    ...options,
  });
  const [rows, columns] = planes.shape.slice(-2) as [number, number];
  const across = b.tensor("aten::avg_pool2d", {
    self: e.reshape(planes, [numel(lead), depth, rows * columns]),
    kernel_size: [kernel[0]!, 1],
    stride: [stride[0]!, 1],
    padding: [padding[0]!, 0],
    ...options,
  });
  return e.reshape(across, [...lead, across.shape[1]!, rows, columns]);
}
