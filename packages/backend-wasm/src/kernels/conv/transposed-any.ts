import { type ConvolutionWindow, channelsLast } from "@pt2/engine";
import { contiguousStrides, numel } from "@pt2/format";
import { scalar, type TypedExpr, typeExpr } from "@pt2/registry/scalar";
import type { KernelCall } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { FLOAT64_PRODUCT, planProduct } from "../matmul/product.ts";

/** Bytes of columns that are made and scattered at a time. */
const BLOCK_BYTES = 4 * 1024 * 1024;

const ADD: TypedExpr = typeExpr(scalar.add(scalar.input(0), scalar.input(1)), {
  compute: "float64",
  operands: ["float64", "float64"],
  result: "float64",
});

/**
 * Plans a transposed convolution of float64, as PyTorch computes it: pixels times the weight give what each position of the kernel
 * adds to the result, one position after the other. Nothing else is multiplied.
 */
export function planTransposedAny(
  call: KernelCall,
  { groups, stride, padding, dilation }: ConvolutionWindow,
  input: TensorView,
  weight: TensorView,
  out: TensorView,
): void {
  const [batch, channels, ...space] = input.shape as readonly [number, number, ...number[]];
  const [, results, ...kernel] = weight.shape as readonly [number, number, ...number[]];
  const each = channels / groups;
  const [taps, inner] = [numel(kernel), numel(space.slice(1))];
  const pixels = call.withStrides(input, channelsLast(input.shape));
  const factors = columnsOf(call, weight, groups);
  call.step(() => call.heap.f64.fill(0, addressOf(out) / 8, addressOf(out) / 8 + numel(out.shape)));
  if (numel(input.shape) === 0) return;
  const fitting = Math.floor(BLOCK_BYTES / 8 / (inner * taps * results * groups));
  const height = Math.min(space[0]!, Math.max(1, fitting));
  const room = (width: number): TensorView => call.temporary("float64", [groups, height * inner, width]);
  const columns = room(taps * results);
  const grouped = groups > 1 ? room(each) : null;
  for (let picture = 0; picture < batch; picture++) {
    // From the last lines on: positions of the kernel reach a result in their order then, wherever blocks end.
    for (let end = space[0]!; end > 0; end -= height) {
      const start = Math.max(0, end - height);
      const rows = (end - start) * inner;
      const first = (picture * space[0]! + start) * inner * channels;
      const from: TensorView = { ...pixels, offset: pixels.offset + first, shape: [groups, rows, each] };
      if (grouped !== null) call.copy({ ...from, strides: [each, channels, 1] }, dense(grouped, from.shape));
      const product = dense(columns, [groups, rows, taps * results]);
      planProduct(call, FLOAT64_PRODUCT, product, dense(grouped ?? from, from.shape), factors);
      const [toBatch, toChannel, ...toSpace] = out.strides as readonly [number, number, ...number[]];
      for (let tap = 0; tap < taps; tap++) {
        // Lines and columns of the input whose place in the result, for this tap, is there.
        const ranges = space.map((size, axis) => {
          const place = Math.floor(tap / numel(kernel.slice(axis + 1))) % kernel[axis]!;
          const shift = place * dilation[axis]! - padding[axis]!;
          const [low, high] = axis === 0 ? [start, end] : [0, size];
          const begin = Math.max(low, Math.ceil(-shift / stride[axis]!));
          const count = Math.min(high, Math.floor((out.shape[axis + 2]! - 1 - shift) / stride[axis]!) + 1) - begin;
          return { begin, count, to: begin * stride[axis]! + shift, low };
        });
        if (ranges.some(({ count }) => count <= 0)) continue;
        const shape = [groups, ...ranges.map(({ count }) => count), results];
        const lines = contiguousStrides([rows / inner, ...space.slice(1), taps * results]);
        const skipped = ranges.reduce((sum, { begin, low }, axis) => sum + (begin - low) * lines[axis]!, 0);
        const added: TensorView = {
          ...columns,
          offset: columns.offset + tap * results + skipped,
          ...{ shape, strides: [rows * taps * results, ...lines] },
        };
        const moved = ranges.reduce((sum, { to }, axis) => sum + to * toSpace[axis]!, picture * toBatch);
        const sums: TensorView = {
          ...out,
          offset: out.offset + moved,
          shape,
          strides: [results * toChannel, ...toSpace.map((step, axis) => step * stride[axis]!), toChannel],
        };
        call.elementwise(sums, [sums, added], ADD);
      }
    }
  }
}

/** The first elements in memory, as a contiguous tensor. */
function dense(view: TensorView, shape: readonly number[]): TensorView {
  return { ...view, shape, strides: contiguousStrides(shape) };
}

/** The weight as a matrix for each group: a row for each input channel, of what it adds to the results by each position of the kernel. */
function columnsOf(call: KernelCall, weight: TensorView, groups: number): TensorView {
  const [channels, results, ...kernel] = weight.shape as readonly [number, number, ...number[]];
  const shape = [groups, channels / groups, numel(kernel) * results];
  return call.prepared(weight, `columns:${groups}`, { dtype: "float64", shape }, (ctx, from, to) => {
    const [outer, inner, ...space] = from.strides as readonly [number, number, ...number[]];
    const parts = [groups, shape[1]!, ...kernel, results];
    ctx.copy({ ...from, shape: parts, strides: [shape[1]! * outer, outer, ...space, inner] }, dense(to, parts));
  });
}
