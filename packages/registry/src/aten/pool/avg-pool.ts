import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { numel } from "../support/dims.ts";
import { isComplex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { pooledShape, type Window, type WindowArgs, windowOf } from "./window.ts";

type AvgPool = WindowArgs & {
  readonly self: TensorMeta;
  readonly count_include_pad: boolean;
  readonly divisor_override: number | null;
};

/** Average pooling of one to three dimensions. */
export const AVG_POOL_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    { infer: (args) => averaged("avg_pool2d", args, 2) },
  ),
  defineOp(
    "aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool ceil_mode=False, bool count_include_pad=True) -> Tensor",
    {
      decompose: (args, b) => {
        const e = emit(b);
        const { kernel, stride, padding } = windowOf("avg_pool1d", args, 1);
        const window = { kernel_size: [1, ...kernel], stride: [1, ...stride], padding: [0, ...padding] };
        return e.squeeze(b.tensor("aten::avg_pool2d", { ...args, ...window, self: e.unsqueeze(args.self, -2) }), -2);
      },
    },
  ),
  defineOp(
    "aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    {
      infer: (args) => averaged("avg_pool3d", args, 3),
      decompose: (args, b) => volumetric(b, args),
    },
  ),
];

function averaged(op: string, args: AvgPool, spatial: number): TensorMeta {
  check(
    args.self.dtype !== "bool" && !isComplex(args.self.dtype),
    () => `${op} not implemented for ${args.self.dtype}`,
  );
  check(args.divisor_override !== 0, "divisor must be not zero");
  return { dtype: args.self.dtype, shape: pooledShape(op, args.self, windowOf(op, args, spatial)) };
}

/** Sums over the planes, then across them, divided by the number of elements that were added. */
function volumetric(b: Builder, args: AvgPool): TensorMeta | null {
  const e = emit(b);
  const window = windowOf("avg_pool3d", args, 3);
  const padded = window.padding.some((p) => p > 0);
  // A window that ceil mode lets reach beyond the padding counts a part of the padding only.
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
