import { ADAPTIVE_POOLS, poolingWindow, SLIDING_POOLS, windowOf, withinReach } from "@pt2/engine";
import { numel } from "@pt2/format";
import type { TensorMeta, Window } from "@pt2/registry";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { computeType } from "../../wgsl/storage.ts";
import { fitsRows, planPoolRows } from "./pool-rows.ts";

/** Sliding maxima, with or without their positions, and means, of one to three dimensions. */
const slidingPool: WebgpuKernel = webgpuKernel({
  ops: SLIDING_POOLS,
  fuses: true,
  async prepare(call, args) {
    const self = call.tensor(args.self);
    const pooling = windowOf(call.call.record);
    const window = withinReach(poolingWindow(pooling, args), self.shape.slice(-pooling.rank));
    const divisor = args.divisor_override ?? null;
    const empty = numel((call.call.results[0] as TensorMeta).shape) === 0;
    if (!empty && fitsRows(call, self, window)) {
      planPoolRows(call, self, window, divisor);
      return;
    }
    const { planSliding } = await import("./pool-windows.ts");
    planSliding(call, self, window, divisor);
  },
});

/** Pooling to a given size. */
const adaptivePool: WebgpuKernel = webgpuKernel({
  ops: ADAPTIVE_POOLS,
  fuses: true,
  async prepare(call, args) {
    const self = call.tensor(args.self);
    const window = windowOf(call.call.record);
    const size = (call.call.results[0] as TensorMeta).shape.slice(-window.rank);
    if (isGlobalMean(self, window, size)) {
      const { planGlobalMean } = await import("./global-mean.ts");
      planGlobalMean(call, self, window.rank);
    } else {
      const { planAdaptive } = await import("./pool-windows.ts");
      planAdaptive(call, self, size);
    }
  },
});

/** Poolings. */
export const POOLS: readonly WebgpuKernel[] = [slidingPool, adaptivePool];

/** Whether a pooling is the mean of everything, as at the end of most networks. */
function isGlobalMean(self: TensorView, { reduce }: Window, size: readonly number[]): boolean {
  const float = computeType(self.dtype) === "f32";
  return float && reduce === "mean" && size.every((n) => n === 1);
}
