import { cheapestDense } from "./cost.ts";
import { isDepthwise, planDepthwise } from "./depthwise.ts";
import { fitsPlanes } from "./few-outputs.ts";
import { fitsGrouped, planGrouped } from "./grouped.ts";
import { planIm2col } from "./im2col.ts";
import { isPointwise, planPointwise } from "./pointwise.ts";
import { fitsStrips, planStrips } from "./strips.ts";
import { planTransposed } from "./transposed.ts";
import type { ConvAlgorithm, ConvPlan, ConvPlanner, ConvShape, KernelModule } from "./types.ts";
import { planWinograd, winogradOf } from "./winograd.ts";

/** What plans a planar convolution loads with the first of them. */
const planners: Readonly<Partial<Record<ConvAlgorithm, ConvPlanner>>> = {
  pointwise: planPointwise,
  im2col: planIm2col,
  strips: planStrips,
  winograd2: (module, shape) => planWinograd(module, shape, "winograd2"),
  winograd4: (module, shape) => planWinograd(module, shape, "winograd4"),
  "winograd2-stride2": (module, shape) => planWinograd(module, shape, "winograd2-stride2"),
  depthwise: planDepthwise,
  "depthwise-few": planDepthwise,
  "depthwise-scalar": planDepthwise,
  grouped: planGrouped,
  transposed: planTransposed,
};

/**
 * The algorithm that is expected to be fastest for `shape`. A weight that is not constant is packed on every run, which
 * only pays where packing is no more than a copy.
 */
export function chooseAlgorithm(shape: ConvShape, constantWeight = true): ConvAlgorithm {
  if (shape.transposed) return "transposed";
  if (isPointwise(shape)) return "pointwise";
  const depthwise = isDepthwise(shape);
  if (depthwise && shape.inChannels === shape.outChannels) return "depthwise";
  if (fitsPlanes(shape)) return "planar";
  if (fitsGrouped(shape)) return "grouped";
  // A single input channel, as of gray pictures, is one group, whose output channels are the columns of one product.
  if (depthwise && shape.groups > 1) return "depthwise-scalar";
  if (fitsStrips(shape) && winogradOf(shape).length === 0) return "strips";
  return constantWeight ? cheapestDense(shape) : "im2col";
}

/** The algorithm that sums products as the op is written: no transformed weights. */
export function exactAlgorithm(shape: ConvShape): ConvAlgorithm {
  return chooseAlgorithm(shape, false);
}

/**
 * Plans a convolution. A program with dynamic sizes plans once per size and packs its weight once: it passes the first
 * plan's `algorithm` to the later ones. `planner` is what plans by an algorithm that loads on demand.
 */
export function planConv(
  module: KernelModule,
  shape: ConvShape,
  algorithm: ConvAlgorithm = chooseAlgorithm(shape),
  planner: ConvPlanner | undefined = planners[algorithm],
): ConvPlan {
  return planner!(module, shape);
}
