import { poolingRank, poolingWindow, withinReach } from "@pt2/engine/windows";
import { elementCount } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { onDemand } from "@pt2/registry/on-demand";
import type { KernelCall, WebgpuKernel } from "../../engine/kernel.ts";
import { computeType } from "../../wgsl/storage.ts";
import { fitsRows, planPoolRows } from "./pool-rows.ts";

const windows = onDemand("pooling of each window", () => import("./pool-windows.ts"));
const globalMean = onDemand("pooling to means", () => import("./global-mean.ts"));

/** Sliding maxima, with or without their positions, and means, of one to three dimensions. */
const slidingPool: WebgpuKernel = {
  ops: [
    "aten::max_pool1d",
    "aten::max_pool2d",
    "aten::max_pool3d",
    "aten::max_pool1d_with_indices",
    "aten::max_pool2d_with_indices",
    "aten::max_pool3d_with_indices",
    "aten::avg_pool1d",
    "aten::avg_pool2d",
    "aten::avg_pool3d",
  ],
  fuses: true,
  prepare(call) {
    const self = call.tensor("self");
    const { name } = call.call.record;
    const window = withinReach(poolingWindow(name, call), self.shape.slice(-poolingRank(name)));
    const divisor = call.arg<number | null | undefined>("divisor_override") ?? null;
    const empty = elementCount((call.call.results[0] as TensorMeta).shape) === 0;
    if (!empty && fitsRows(call, self, window)) planPoolRows(call, self, window, divisor);
    else windows().planSliding(call, self, window, divisor);
  },
};

/** Pooling to a given size. */
const adaptivePool: WebgpuKernel = {
  ops: [
    "aten::adaptive_avg_pool1d",
    "aten::adaptive_avg_pool2d",
    "aten::adaptive_avg_pool3d",
    "aten::_adaptive_avg_pool2d",
    "aten::_adaptive_avg_pool3d",
    "aten::adaptive_max_pool1d",
    "aten::adaptive_max_pool2d",
    "aten::adaptive_max_pool3d",
  ],
  fuses: true,
  prepare(call) {
    const self = call.tensor("self");
    const rank = poolingRank(call.call.record.name);
    const size = (call.call.results[0] as TensorMeta).shape.slice(-rank);
    if (isGlobalMean(call, size)) globalMean().planGlobalMean(call, self, rank);
    else windows().planAdaptive(call, self, size);
  },
};

/** Poolings. */
export const POOLS: readonly WebgpuKernel[] = [slidingPool, adaptivePool];

/** Whether a pooling is the mean of everything, as at the end of most networks. */
function isGlobalMean(call: KernelCall, size: readonly number[]): boolean {
  const { name } = call.call.record;
  const float = computeType(call.tensor("self").dtype) === "f32";
  return float && name.includes("avg") && size.every((n) => n === 1);
}
