import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { isComplex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { pooledShape, type WindowArgs, windowOf } from "./window.ts";

/** The largest values and their positions. */
export type Pooled = readonly [TensorMeta, TensorMeta];
/** The arguments of max pooling. */
export type MaxPool = Required<WindowArgs> & { readonly self: TensorMeta };

/** Defines max pooling in one and two dimensions. */
export const MAX_POOL_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
    {
      window: { rank: 2, reduce: "max" },
      infer: (args) => pooled("max_pool2d", args, 2),
    },
  ),
  defineOp(
    "aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor",
    { window: { rank: 2, reduce: "max" }, decompose: (args, b) => planar(b, args)[0] },
  ),
  defineOp(
    "aten::max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> (Tensor, Tensor)",
    { window: { rank: 1, reduce: "max" }, decompose: (args, b) => linear(b, args) },
  ),
  defineOp(
    "aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> Tensor",
    { window: { rank: 1, reduce: "max" }, decompose: (args, b) => linear(b, args)[0] },
  ),
];

/** Infers values and positions of the largest elements of windows. */
export function pooled(op: string, args: MaxPool, spatial: number): Pooled {
  check(
    args.self.dtype !== "bool" && !isComplex(args.self.dtype),
    () => `${op} not implemented for ${args.self.dtype}`,
  );
  const shape = pooledShape(op, args.self, windowOf(op, args, spatial));
  return [
    { dtype: args.self.dtype, shape },
    { dtype: "int64", shape },
  ];
}

/** Pools in two dimensions. */
export function planar(b: Builder, args: MaxPool): Pooled {
  return b.call("aten::max_pool2d_with_indices", { ...args });
}

/** Pools in one dimension as in two, with height 1; the positions are the same. */
function linear(b: Builder, args: MaxPool): Pooled {
  const e = emit(b);
  const { kernel, stride, padding, dilation } = windowOf("max_pool1d", args, 1);
  const results = planar(b, {
    self: e.unsqueeze(args.self, -2),
    kernel_size: [1, ...kernel],
    stride: [1, ...stride],
    padding: [0, ...padding],
    dilation: [1, ...dilation],
    ceil_mode: args.ceil_mode,
  });
  return [e.squeeze(results[0], -2), e.squeeze(results[1], -2)];
}
