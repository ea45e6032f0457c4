import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel } from "../support/dims.ts";
import { checkIndex, isComplex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { pooledShape, type WindowArgs, windowOf } from "./window.ts";

type Pooled = readonly [TensorMeta, TensorMeta];
type MaxPool = Required<WindowArgs> & { readonly self: TensorMeta };

/** Max pooling of one to three dimensions, and its inverse. */
export const MAX_POOL_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
    {
      infer: (args) => pooled("max_pool2d", args, 2),
      gradient: ({ args, results, grads: [grad_output] }, b) =>
        grad_output
          ? { self: b.tensor("aten::max_pool2d_with_indices_backward", { ...args, grad_output, indices: results[1]! }) }
          : {},
    },
  ),
  defineOp(
    "aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor",
    { decompose: (args, b) => planar(b, args)[0] },
  ),
  defineOp(
    "aten::max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> (Tensor, Tensor)",
    { decompose: (args, b) => linear(b, args) },
  ),
  defineOp(
    "aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> Tensor",
    { decompose: (args, b) => linear(b, args)[0] },
  ),
  defineOp(
    "aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
    {
      infer: (args) => pooled("max_pool3d", args, 3),
      decompose: (args, b) => volumetric(b, args),
    },
  ),
  defineOp(
    "aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor",
    {
      decompose: (args, b) => b.call("aten::max_pool3d_with_indices", { ...args })[0] as TensorMeta,
    },
  ),
  defineOp("aten::max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor", {
    decompose: ({ self, indices, output_size }, b) => unpool(b, self, indices, output_size),
  }),
  defineOp(
    "aten::max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding) -> Tensor",
    {
      decompose: ({ self, indices, output_size }, b) => unpool(b, self, indices, output_size),
    },
  ),
];

function pooled(op: string, args: MaxPool, spatial: number): Pooled {
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

function planar(b: Builder, args: MaxPool): Pooled {
  return b.call("aten::max_pool2d_with_indices", { ...args }) as unknown as Pooled;
}

/** One dimension is two, of height 1; positions stay the same. */
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

/** The planes first, then across the planes: of the plane that wins, the position in it. */
function volumetric(b: Builder, args: MaxPool): Pooled {
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

/** Every value goes back to where it was the largest; the rest is zero. */
function unpool(b: Builder, self: TensorMeta, indices: TensorMeta, size: readonly number[]): TensorMeta {
  const e = emit(b);
  const lead = self.shape.slice(0, -size.length);
  checkIndex("max_unpool", indices, false);
  check(
    numel(self.shape) === numel(indices.shape),
    () =>
      `Expected shape of indices to be same as that of the input tensor (${show(self.shape)}) but got indices tensor with shape: ${show(indices.shape)}`,
  );
  const rows = [numel(lead), numel(self.shape.slice(-size.length))];
  const canvas = e.full([rows[0]!, numel(size)], 0, self.dtype);
  const filled = b.tensor("aten::scatter.src", {
    self: canvas,
    dim: 1,
    index: e.reshape(indices, rows),
    src: e.reshape(self, rows),
  });
  return e.reshape(filled, [...lead, ...size]);
}
