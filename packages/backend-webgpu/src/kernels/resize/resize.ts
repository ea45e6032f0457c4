import { type AxisTable, type ResizeMode, resizeTable } from "@pt2/engine/host";
import { DTYPES, numel } from "@pt2/format";
import type { ArgValue, TensorMeta } from "@pt2/registry";
import type { KernelCall, WebgpuKernel } from "../../engine/kernel.ts";
import { planAxis } from "./axis.ts";
import { planDirectResize } from "./direct-resize.ts";

/** Inputs of one result that are read in one go; where there are more, one axis after the other needs fewer. */
const MOST_TAPS = 16;

/** `upsample_nearest*d` and `_upsample_nearest_exact*d`: copies, of any dtype. */
export const resizeNearest: WebgpuKernel = {
  ops: [
    "aten::upsample_nearest1d",
    "aten::upsample_nearest2d",
    "aten::upsample_nearest3d",
    "aten::_upsample_nearest_exact1d",
    "aten::_upsample_nearest_exact2d",
    "aten::_upsample_nearest_exact3d",
  ],
  fuses: true,
  prepare: (call) => planResize(call, call.call.record.name.includes("exact") ? "nearest-exact" : "nearest"),
};

/** Linear and cubic resampling, plain and antialiased; the `.vec` overloads decompose to these. */
export const resizeLinear: WebgpuKernel = {
  ops: [
    "aten::upsample_linear1d",
    "aten::upsample_bilinear2d",
    "aten::upsample_trilinear3d",
    "aten::upsample_bicubic2d",
    "aten::_upsample_bilinear2d_aa",
    "aten::_upsample_bicubic2d_aa",
  ],
  accepts: (args: Readonly<Record<string, ArgValue>>) => DTYPES[(args["self"] as TensorMeta).dtype].kind === "float",
  fuses: true,
  prepare: (call) => planResize(call, call.call.record.name.includes("cubic") ? "cubic" : "linear"),
};

function planResize(call: KernelCall, mode: ResizeMode): void {
  const { shape } = call.call.results[0] as TensorMeta;
  if (numel(shape) === 0) {
    call.output();
    return;
  }
  const tables = tablesOf(call, mode, shape);
  const taps = tables.reduce((product, table) => product * table.taps, 1);
  if (taps <= MOST_TAPS) planDirectResize(call, tables, mode.startsWith("nearest"));
  else planByAxis(call, tables);
}

/** How each spatial axis is resampled. */
function tablesOf(call: KernelCall, mode: ResizeMode, shape: readonly number[]): readonly AxisTable[] {
  const self = call.tensor("self");
  const rank = shape.length - 2;
  const scales = rank === 1 ? ["scales"] : ["scales_d", "scales_h", "scales_w"].slice(-rank);
  return scales.map((name, d) =>
    resizeTable({
      mode,
      inLength: self.shape[2 + d]!,
      outLength: shape[2 + d]!,
      scale: call.arg<number | null>(name) ?? undefined,
      alignCorners: call.arg<ArgValue>("align_corners") === true,
      antialias: call.call.record.name.endsWith("_aa"),
    }),
  );
}

/** The axis that shrinks most comes first, which makes intermediate results small. */
function planByAxis(call: KernelCall, tables: readonly AxisTable[]): void {
  const ratio = ({ outLength, inLength }: AxisTable): number => outLength / inLength;
  const order = [...tables.keys()].sort((a, b) => ratio(tables[a]!) - ratio(tables[b]!));
  let from = call.tensor("self");
  for (const [pass, axis] of order.entries()) {
    const table = tables[axis]!;
    const last = pass === order.length - 1;
    const to = last ? null : call.temporary("float32", from.shape.with(2 + axis, table.outLength));
    planAxis(call, from, 2 + axis, table, to);
    if (to !== null) from = to;
  }
}
