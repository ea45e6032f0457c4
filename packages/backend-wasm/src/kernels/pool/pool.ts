import { numel } from "@pt2/backend";
import { ADAPTIVE_POOLS, channelsLast, poolingWindow, SLIDING_POOLS, spatial, windowOf } from "@pt2/engine";
import { contiguousStrides, type DType } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { partScratch } from "../../engine/part-scratch.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import type { Part } from "../../threads/team.ts";
import { float32Result, isFloat32 } from "../float32.ts";
import { planColumns } from "../reduce/reduce.ts";
import { adaptiveBoxes, type PoolBoxes, slidingBoxes } from "./boxes.ts";
import { planPool } from "./plan-pool.ts";

type Reduce = "max" | "mean";

/** Integers that float32 has all of: their maxima are computed in it. */
const SHORT: ReadonlySet<DType> = new Set<DType>(["int16", "int8", "uint8"]);

/** Sliding max and mean windows of one to three dimensions, with or without the positions of the maxima. */
export const slidingPool: WasmKernel = wasmKernel({
  ops: SLIDING_POOLS,
  // Means of integers are rounded otherwise, and a dilated window may be empty: then its maximum is no integer here.
  accepts: ({ self, dilation, ...rest }) =>
    isFloat32(self) ||
    (SHORT.has(self.dtype) && !("count_include_pad" in rest) && !dilation?.some((step) => step !== 1)),
  prepare(call, args) {
    const pooling = windowOf(call.call.record);
    const { kernel, stride, padding, dilation, countsPadding } = poolingWindow(pooling, args);
    const input = source(call, args.self, kernel.length);
    const boxes = slidingBoxes({
      input: spatial(input.shape.slice(2), 1),
      kernel: spatial(kernel, 1),
      stride: spatial(stride, 1),
      padding: spatial(padding, 0),
      dilation: spatial(dilation, 1),
      ceilMode: args.ceil_mode,
      countIncludePad: countsPadding,
    });
    planInto(call, input, boxes, pooling.reduce!, args.divisor_override ?? undefined);
  },
});

/** Pooling to a given size. */
export const adaptivePool: WasmKernel = wasmKernel({
  ops: ADAPTIVE_POOLS,
  accepts: ({ self }) => isFloat32(self),
  prepare(call, { self }) {
    const { rank, reduce } = windowOf(call.call.record);
    const input = source(call, self, rank);
    const result = call.call.results[0] as TensorMeta;
    const size = result.shape.slice(-rank);
    if (reduce === "mean" && size.every((n) => n === 1) && numel(input.shape) > 0) {
      const [outer, inner, ...space] = input.shape as readonly [number, number, ...number[]];
      const columns = { source: input, outer, n: numel(space), inner };
      const strides = contiguousStrides(result.shape);
      float32Result(call, (out) => planColumns(call, columns, out, reduce), { strides });
      return;
    }
    const boxes = adaptiveBoxes(spatial(input.shape.slice(2), 1), spatial(size, 1));
    planInto(call, input, boxes, reduce!, undefined);
  },
});

/** The input as [N, C, spatial…], channels-last, in float32. */
function source(call: KernelCall, self: TensorMeta, rank: number): TensorView {
  const given = call.convert(call.tensor(self), "float32");
  const view =
    given.shape.length === rank + 2 ? given : { ...given, shape: [1, ...given.shape], strides: [0, ...given.strides] };
  return call.withStrides(view, channelsLast(view.shape));
}

function planInto(
  call: KernelCall,
  input: TensorView,
  boxes: PoolBoxes,
  reduce: Reduce,
  divisorOverride: number | undefined,
): void {
  const result = call.call.results[0] as TensorMeta;
  const shape = result.shape.length === input.shape.length ? result.shape : [1, ...result.shape];
  const strides = channelsLast(shape).slice(shape.length - result.shape.length);
  float32Result(
    call,
    (out) => {
      const indices = call.call.results.length > 1 ? call.output(1, strides) : null;
      if (numel(shape) > 0) planBoxes(call, input, boxes, reduce, divisorOverride, out, indices);
    },
    { strides },
  );
}

function planBoxes(
  call: KernelCall,
  input: TensorView,
  boxes: PoolBoxes,
  reduce: Reduce,
  divisorOverride: number | undefined,
  out: TensorView,
  indices: TensorView | null,
): void {
  const [batch, channels] = input.shape as readonly [number, number];
  const plan = planPool(
    { kernels: call.kernels, memory: call.heap.memory },
    {
      batch,
      channels,
      input: spatial(input.shape.slice(2), 1),
      boxes,
      reduce,
      ...(divisorOverride === undefined ? {} : { divisorOverride }),
    },
  );
  const parts = call.team.parts(plan.division);
  const scratchOf = partScratch(call, parts, plan.scratchBytes);
  const compute = (part: Part): void => {
    const addresses = {
      input: addressOf(input),
      output: addressOf(out),
      scratch: scratchOf(part),
      ...(indices === null ? {} : { indices: addressOf(indices) }),
    };
    plan.run(addresses, part.start, part.count);
  };
  call.step(call.team.step(parts, compute));
}
