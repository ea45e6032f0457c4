import { numel } from "@pt2/backend";
import { type ExactResize, resizeRows } from "@pt2/engine/host";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { LINE_FLOATS } from "../../threads/team.ts";
import { resamplingKernels } from "./resampling-module.ts";
import { planByteColumns, planByteRows } from "./resize-bytes.ts";

/** Of a product and a sum of doubles. */
const NANOSECONDS_EACH = 0.6;

/** Resampling of images of bytes, and antialiased resampling of doubles, of which each output is a sum of neighbors. */
export const RESAMPLING_KERNELS: readonly WasmKernel[] = (
  [
    "aten::upsample_bilinear2d",
    "aten::upsample_bicubic2d",
    "aten::_upsample_bilinear2d_aa",
    "aten::_upsample_bicubic2d_aa",
  ] as const
).map((op) =>
  wasmKernel({
    ops: [op],
    accepts: ({ self }) => self.dtype === "uint8" || (self.dtype === "float64" && op.endsWith("_aa")),
    prepare(call, args) {
      const input = call.dense(call.tensor(args.self));
      const { dtype, shape } = call.call.results[0] as TensorMeta;
      const out = call.output();
      if (numel(shape) === 0) return;
      const axis = (dim: 2 | 3, scale: number | null): ExactResize => ({
        isCubic: op.includes("bicubic"),
        ...{ inLength: input.shape[dim]!, outLength: shape[dim]!, scale },
        alignCorners: args.align_corners,
        antialias: op.endsWith("_aa"),
      });
      const [rows, columns] = [axis(2, args.scales_h), axis(3, args.scales_w)];
      const [planColumns, planRows] =
        dtype === "uint8" ? [planByteColumns, planByteRows] : [planDoubles.bind(null, 3), planDoubles.bind(null, 2)];
      const [isWide, isHigh] = [rows, columns].map(({ inLength, outLength }) => inLength === outLength);
      if (isWide && isHigh) call.copy(input, out);
      else if (isHigh) planRows(call, rows, input, out);
      else if (isWide) planColumns(call, columns, input, out);
      else {
        const between = call.temporary(dtype, [...input.shape.slice(0, 3), columns.outLength]);
        planColumns(call, columns, input, between);
        planRows(call, rows, between, out);
      }
    },
  }),
);

/** Plans the resampling of doubles along dimension 2 or 3. */
function planDoubles(dim: 2 | 3, call: KernelCall, axis: ExactResize, from: TensorView, to: TensorView): void {
  const rows = resizeRows(axis);
  const taps = rows.reduce((most, { weights }) => Math.max(most, weights.length), 1);
  const all = new Float64Array(rows.length * taps);
  for (const [at, { weights }] of rows.entries()) all.set(weights, at * taps);
  const starts = call.constant(
    "int32",
    [rows.length],
    Int32Array.from(rows, ({ start }) => start),
  );
  const counts = call.constant(
    "int32",
    [rows.length],
    Int32Array.from(rows, ({ weights }) => weights.length),
  );
  const weights = call.constant("float64", [rows.length, taps], all);
  const inner = numel(to.shape.slice(dim + 1));
  const { resizeDoubles } = resamplingKernels(call);
  const items = numel(to.shape.slice(0, dim + 1));
  const parts = call.team.parts({ items, unit: LINE_FLOATS, nanoseconds: items * inner * taps * NANOSECONDS_EACH });
  const compute = call.team.step(parts, ({ start, count }) =>
    resizeDoubles(
      ...([addressOf(from), addressOf(to), start, count, axis.inLength, axis.outLength, inner, taps] as const),
      ...([addressOf(starts), addressOf(counts), addressOf(weights)] as const),
    ),
  );
  call.step(compute);
}
