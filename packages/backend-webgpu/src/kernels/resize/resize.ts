import { type AxisTable, isSmallImage, type ResizeMode, resizeTable } from "@pt2/engine/host";
import { DTYPES, numel } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { planAxis } from "./axis.ts";
import { planDirectResize } from "./direct-resize.ts";

/** Inputs of one result that are read in one go; where there are more, one axis after the other needs fewer. */
const MOST_TAPS = 16;

/** `upsample_nearest*d` and `_upsample_nearest_exact*d`: copies, of any dtype. */
export const resizeNearest: WebgpuKernel = webgpuKernel({
  ops: [
    "aten::upsample_nearest1d",
    "aten::upsample_nearest2d",
    "aten::upsample_nearest3d",
    "aten::_upsample_nearest_exact1d",
    "aten::_upsample_nearest_exact2d",
    "aten::_upsample_nearest_exact3d",
  ],
  fuses: true,
  prepare: (call, args) =>
    planResize(call, args, call.call.record.name.includes("exact") ? "nearest-exact" : "nearest"),
});

/** Linear and cubic resampling, plain and antialiased; the `.vec` overloads decompose to these. */
export const resizeLinear: WebgpuKernel = webgpuKernel({
  ops: [
    "aten::upsample_linear1d",
    "aten::upsample_bilinear2d",
    "aten::upsample_trilinear3d",
    "aten::upsample_bicubic2d",
    "aten::_upsample_bilinear2d_aa",
    "aten::_upsample_bicubic2d_aa",
  ],
  accepts: ({ self }) => DTYPES[self.dtype].kind === "float",
  fuses: true,
  prepare: (call, args) => planResize(call, args, call.call.record.name.includes("cubic") ? "cubic" : "linear"),
});

interface ResizeArgs {
  readonly self: TensorMeta;
  readonly align_corners?: boolean | undefined;
  /** The scale of the only axis. Ops with several axes have an argument for each of them. */
  readonly scales?: number | null | undefined;
  readonly scales_d?: number | null | undefined;
  readonly scales_h?: number | null | undefined;
  readonly scales_w?: number | null | undefined;
}

function planResize(call: KernelCall, args: ResizeArgs, mode: ResizeMode): void {
  const { shape } = call.call.results[0] as TensorMeta;
  if (numel(shape) === 0) {
    call.output();
    return;
  }
  const self = call.tensor(args.self);
  const tables = tablesOf(call, args, mode, shape);
  const taps = tables.reduce((product, table) => product * table.taps, 1);
  if (taps <= MOST_TAPS) planDirectResize(call, self, tables, mode.startsWith("nearest"));
  else planByAxis(call, self, tables);
}

/** How each spatial axis is resampled. */
function tablesOf(
  call: KernelCall,
  args: ResizeArgs,
  mode: ResizeMode,
  shape: readonly number[],
): readonly AxisTable[] {
  const rank = shape.length - 2;
  const scales = rank === 1 ? [args.scales] : [args.scales_d, args.scales_h, args.scales_w].slice(-rank);
  return scales.map((scale, d) =>
    resizeTable({
      mode,
      inLength: args.self.shape[2 + d]!,
      outLength: shape[2 + d]!,
      scale: scale ?? undefined,
      alignCorners: args.align_corners === true,
      antialias: call.call.record.name.endsWith("_aa"),
      copies: isSmallImage(shape.slice(2)),
    }),
  );
}

/** The axis that shrinks most comes first, which makes intermediate results small. */
function planByAxis(call: KernelCall, self: TensorView, tables: readonly AxisTable[]): void {
  const ratio = ({ outLength, inLength }: AxisTable): number => outLength / inLength;
  const order = [...tables.keys()].sort((a, b) => ratio(tables[a]!) - ratio(tables[b]!));
  let from = self;
  for (const [pass, axis] of order.entries()) {
    const table = tables[axis]!;
    const last = pass === order.length - 1;
    const to = last ? null : call.temporary("float32", from.shape.with(2 + axis, table.outLength));
    planAxis(call, from, 2 + axis, table, to);
    if (to !== null) from = to;
  }
}
