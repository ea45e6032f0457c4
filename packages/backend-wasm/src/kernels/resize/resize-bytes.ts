import { numel } from "@pt2/backend";
import { type ByteTable, byteTable, type ExactResize } from "@pt2/engine/host";
import type { KernelCall } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { resamplingKernels } from "./resampling-module.ts";

/** Weights that are read at once along a line, see assembly/resize-bytes.ts. */
const TAPS = 8;
/** Of a product and a sum. */
const NANOSECONDS_EACH = 0.2;

/** Plans the resampling of lines of bytes. */
export function planByteColumns(call: KernelCall, axis: ExactResize, from: TensorView, to: TensorView): void {
  const { inLength, outLength } = axis;
  const table = byteTable(axis);
  const whole = Math.ceil(table.taps / TAPS) * TAPS;
  const { taps, starts, weights } = tables(call, axis, table, whole <= inLength ? whole : table.taps);
  const { resizeByteColumns } = resamplingKernels(call);
  const lines = numel(to.shape) / outLength;
  const parts = call.team.parts({ items: lines, nanoseconds: lines * outLength * taps * NANOSECONDS_EACH });
  const compute = call.team.step(parts, ({ start, count }) =>
    resizeByteColumns(
      ...([addressOf(from) + start * inLength, addressOf(to) + start * outLength, count, inLength, outLength] as const),
      ...([taps, table.shift, addressOf(starts), addressOf(weights)] as const),
    ),
  );
  call.step(compute);
}

/** Plans the resampling of images along their lines. */
export function planByteRows(call: KernelCall, axis: ExactResize, from: TensorView, to: TensorView): void {
  const { inLength, outLength } = axis;
  const table = byteTable(axis);
  const { taps, starts, weights } = tables(call, axis, table, table.taps);
  const { resizeByteRows } = resamplingKernels(call);
  const width = to.shape[3]!;
  const lines = numel(to.shape) / width;
  const parts = call.team.parts({ items: lines, nanoseconds: lines * width * taps * NANOSECONDS_EACH });
  const compute = call.team.step(parts, ({ start, count }) =>
    resizeByteRows(
      ...([addressOf(from), addressOf(to), start, count, inLength, outLength, width, taps, table.shift] as const),
      ...([addressOf(starts), addressOf(weights)] as const),
    ),
  );
  call.step(compute);
}

interface Tables {
  readonly taps: number;
  readonly starts: TensorView;
  readonly weights: TensorView;
}

/** Tables in which each output has `taps` weights, some of them zero, for inputs that are all there. */
function tables(call: KernelCall, { inLength }: ExactResize, table: ByteTable, taps: number): Tables {
  const starts = table.starts.map((start) => Math.max(0, Math.min(start, inLength - taps)));
  const weights = new Int16Array(starts.length * taps);
  for (const [at, start] of starts.entries()) {
    const first = at * table.taps;
    weights.set(table.weights.subarray(first, first + table.counts[at]!), at * taps + table.starts[at]! - start);
  }
  return {
    taps,
    starts: call.constant("int32", [starts.length], starts),
    weights: call.constant("int16", [starts.length, taps], weights),
  };
}
