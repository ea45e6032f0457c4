import { poolingWindow } from "../windows.ts";
import type { HostArray } from "./host-array.ts";
import { type HostKernel, hostKernel } from "./host-kernel.ts";
import { type AxisWindow, adaptiveWindows, slidingWindows } from "./windows.ts";

/** Gradients of average pooling: the gradient of an output is divided among the elements that it averaged. */
export const POOL_BACKWARD: readonly HostKernel[] = [
  hostKernel(["aten::avg_pool2d_backward"], (call, args) => {
    const { kernel, stride, padding, countsPadding } = poolingWindow({ rank: 2 }, args);
    const grads = call.array(args.grad_output);
    const outputs = grads.shape.slice(-2);
    const axes = call
      .shape(0)
      .slice(-2)
      .map((size, d) =>
        slidingWindows({
          size,
          outputs: outputs[d]!,
          kernel: kernel[d]!,
          stride: stride[d]!,
          padding: padding[d]!,
          dilation: 1,
          countIncludePad: countsPadding,
        }),
      );
    return [spread(grads, call.shape(0), axes, args.divisor_override)];
  }),
  hostKernel(["aten::_adaptive_avg_pool2d_backward"], (call, { grad_output }) => {
    const grads = call.array(grad_output);
    const outputs = grads.shape.slice(-2);
    const axes = call
      .shape(0)
      .slice(-2)
      .map((size, d) => adaptiveWindows(size, outputs[d]!));
    return [spread(grads, call.shape(0), axes, null)];
  }),
];

function spread(
  { data: grads }: HostArray,
  shape: readonly number[],
  axes: readonly (readonly AxisWindow[])[],
  divisor: number | null,
): Float64Array {
  const [height, width] = shape.slice(-2) as [number, number];
  const [rows, columns] = axes as [readonly AxisWindow[], readonly AxisWindow[]];
  const result = new Float64Array(shape.reduce((n, size) => n * size, 1));
  const planes = result.length / (height * width);
  let at = 0;
  for (let plane = 0; plane < planes; plane++) {
    for (const row of rows) {
      for (const column of columns) {
        const share = grads[at++]! / (divisor ?? row.counted * column.counted);
        for (const y of row.positions) {
          for (const x of column.positions) result[(plane * height + y) * width + x]! += share;
        }
      }
    }
  }
  return result;
}
