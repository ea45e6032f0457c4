import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, perDim } from "../support/dims.ts";
import { emit } from "../support/emit.ts";
import { checkImage } from "./window.ts";

type Pooled = readonly [TensorMeta, TensorMeta];

/** Defines max pooling over windows at random positions: `random_samples` holds one number per plane and dimension. */
export const FRACTIONAL_POOL_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::fractional_max_pool2d(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples) -> (Tensor, Tensor)",
    // PyTorch takes the number for the column first.
    {
      requires: {
        same: ["self", "random_samples"],
        ranks: { random_samples: [3] },
        lengths: { kernel_size: 2, output_size: 2 },
      },
      decompose: (args, b) => fractional(b, "fractional_max_pool2d", args, [1, 0]),
    },
  ),
  defineOp(
    "aten::fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> (Tensor, Tensor)",
    {
      requires: { same: ["self", "random_samples"], kinds: { self: "float" }, ranks: { random_samples: [3] } },
      decompose: (args, b) => fractional(b, "fractional_max_pool3d", args, [0, 1, 2]),
    },
  ),
];

interface FractionalPool {
  readonly self: TensorMeta;
  readonly kernel_size: readonly number[];
  readonly output_size: readonly number[];
  readonly random_samples: TensorMeta;
}

/** Pools; `sampleOf[d]` is the index of the number that positions the windows of dimension d. */
function fractional(b: Builder, op: string, args: FractionalPool, sampleOf: readonly number[]): Pooled {
  const e = emit(b);
  const { self, random_samples } = args;
  const spatial = sampleOf.length;
  checkImage(op, self, spatial);
  const kernel = perDim(args.kernel_size, spatial, `${op}: kernel_size`);
  const sizes = perDim(args.output_size, spatial, `${op}: output_size`);
  const [lead, planes] = [self.shape.slice(0, -spatial), self.shape.slice(-spatial)];
  check(
    // PyTorch requires one more row in three dimensions.
    planes.every((size, d) => sizes[d]! + kernel[d]! - 1 <= size - (spatial === 3 ? 1 : 0)),
    () => `${op}: pool size ${show(kernel)} too large relative to input size ${show(planes)}`,
  );
  const count = numel(lead);
  const draws = e.reshape(random_samples, [count, spatial]);
  // The positions of all elements of all windows, [planes, windows…, elements…], row-major in a plane.
  let position: TensorMeta | null = null;
  for (const [d, size] of planes.entries()) {
    const draw = e.reshape(e.slice(draws, 1, sampleOf[d]!, sampleOf[d]! + 1), [count, 1]);
    const starts = startsOf(b, draw, { size, windows: sizes[d]!, kernel: kernel[d]! });
    const along = e.add(e.unsqueeze(starts, -1), e.arange(kernel[d]!, "int64"));
    const ones = (at: number, length: number): number[] => sizes.map((_, k) => (k === at ? length : 1));
    const placed = e.reshape(along, [count, ...ones(d, sizes[d]!), ...ones(d, kernel[d]!)]);
    position = position === null ? placed : e.add(e.mul(position, size), placed);
  }
  const [windows, elements] = [numel(sizes), numel(kernel)];
  const index = e.reshape(position!, [count, windows * elements]);
  const flat = e.reshape(self, [count, numel(planes)]);
  const rows = [count, windows, elements];
  const values = e.reshape(b.tensor("aten::gather", { self: flat, dim: 1, index }), rows);
  const best = b.tensor("aten::argmax", { self: values, dim: -1, keepdim: true });
  const pick = (from: TensorMeta): TensorMeta =>
    e.reshape(b.tensor("aten::gather", { self: from, dim: -1, index: best }), [...lead, ...sizes]);
  return [pick(values), pick(e.reshape(index, rows))];
}

/** Returns where the windows of each plane begin; the last window ends with the input. */
function startsOf(
  b: Builder,
  draw: TensorMeta,
  { size, windows, kernel }: { readonly size: number; readonly windows: number; readonly kernel: number },
): TensorMeta {
  const e = emit(b);
  const last = e.full([draw.shape[0]!, 1], size - kernel, "int64");
  if (windows === 1) return last;
  const step = { float: (size - kernel) / (windows - 1) };
  const whole = (x: TensorMeta): TensorMeta => e.cast(e.mul(x, step), "int64");
  const before = whole(e.add(e.arange(windows - 1, "int64"), draw));
  return e.cat([e.sub(before, whole(draw)), last], 1);
}
