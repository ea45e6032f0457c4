import { numel } from "@pt2/backend";
import { channelsLast, spatial } from "@pt2/engine";
import { type AxisTable, isSmallImage, type ResizeMode, resizeTable } from "@pt2/engine/host";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { float32Result, isFloat32 } from "../float32.ts";
import { planResize, type ResizePlan } from "./plan-resize.ts";

/** Every `upsample_*` with one scale argument per axis; the `.vec` overloads decompose to these. */
export const resize: WasmKernel = wasmKernel({
  ops: [
    "aten::upsample_nearest1d",
    "aten::upsample_nearest2d",
    "aten::upsample_nearest3d",
    "aten::_upsample_nearest_exact1d",
    "aten::_upsample_nearest_exact2d",
    "aten::_upsample_nearest_exact3d",
    "aten::upsample_linear1d",
    "aten::upsample_bilinear2d",
    "aten::upsample_trilinear3d",
    "aten::upsample_bicubic2d",
    "aten::_upsample_bilinear2d_aa",
    "aten::_upsample_bicubic2d_aa",
  ],
  accepts: ({ self }) => isFloat32(self),
  prepare(call, args) {
    const { name } = call.call.record;
    const { shape } = call.call.results[0] as TensorMeta;
    const given = call.convert(call.tensor(args.self), "float32");
    const input = call.withStrides(given, channelsLast(given.shape));
    const [from, to] = [spatial(input.shape.slice(2), 1), spatial(shape.slice(2), 1)];
    const rank = shape.length - 2;
    const scales = [args.scales_d, args.scales_h, rank === 1 ? args.scales : args.scales_w];
    const table = (axis: 0 | 1 | 2): AxisTable | undefined =>
      axis < 3 - rank
        ? undefined
        : resizeTable({
            mode: modeOf(name),
            inLength: from[axis],
            outLength: to[axis],
            scale: scales[axis] ?? undefined,
            alignCorners: args.align_corners === true,
            antialias: name.endsWith("_aa"),
            copies: isSmallImage(shape.slice(2)),
          });
    const [batch, channels] = input.shape as readonly [number, number];
    const module = { kernels: call.kernels, memory: call.heap.memory };
    const plan = planResize(module, { batch, channels, input: from, tables: [table(0), table(1), table(2)] });
    float32Result(call, (out) => planPasses(call, plan, input, out), { strides: channelsLast(shape) });
  },
});

function planPasses(call: KernelCall, plan: ResizePlan, input: TensorView, out: TensorView): void {
  if (numel(out.shape) === 0) return;
  const scratch = call.scratch(plan.scratchBytes);
  const addresses = () => ({ input: addressOf(input), output: addressOf(out), scratch: scratch.handle });
  for (const pass of plan.passes) {
    const lines = call.team.step(call.team.parts(pass.division), ({ start, count }) => {
      pass.run(addresses(), start, count);
    });
    call.step(() => {
      pass.begin(addresses());
      lines();
    });
  }
}

function modeOf(name: string): ResizeMode {
  if (name.includes("nearest_exact")) return "nearest-exact";
  if (name.includes("nearest")) return "nearest";
  return name.includes("cubic") ? "cubic" : "linear";
}
