import { type Builder, defineOp, type OpRecord, type TensorMeta, type TypedOp } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";
import { meanWeights, wholeEdge } from "./bin-weights.ts";
import { channelMapping, poolOwnChannels, spreadOwnChannels } from "./pool-own-channels.ts";
import type { BinWeights } from "./pool-regions.ts";
import { type GradientCall, type PoolCall, requireGradient, requireRegions, requireSamples, wide } from "./regions.ts";
import { gradientWeights, meanOfSamples, type SampleGrid, shareOfSamples, sumWeights } from "./sample-means.ts";
import { type Samples, sampleWeights } from "./sample-weights.ts";

const ALIGN =
  "torchvision::ps_roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio) -> (Tensor, Tensor)";
const ALIGN_BACKWARD =
  "torchvision::_ps_roi_align_backward(Tensor grad, Tensor rois, Tensor channel_mapping, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor";
const POOL =
  "torchvision::ps_roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, Tensor)";
const POOL_BACKWARD =
  "torchvision::_ps_roi_pool_backward(Tensor grad, Tensor rois, Tensor channel_mapping, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor";

/** Position-sensitive RoIAlign (Light-Head R-CNN, Li et al., 2017). A region without size gives NaN, as in torchvision. */
export const psRoiAlign: OpRecord & TypedOp<typeof ALIGN> = defineOp(ALIGN, {
  validate: (call) => requireOwnChannels("ps_roi_align", call) ?? requireSamples("ps_roi_align", call.sampling_ratio),
  infer: inferPooled,
  decompose({ input, rois, ...options }, b) {
    const grid = gridOf(rois, sizesOf(input, options), b);
    const sums = poolOwnChannels(wide(input, b), sumWeights(grid), b);
    return pooled(input, meanOfSamples(sums, grid, { pictures: input.shape[0]!, nothing: "NaN" }, b), b);
  },
  gradient({ args: { input, rois, ...options }, results, grads: [grad] }, b) {
    if (grad === null || grad === undefined) return { input: null, rois: null };
    const args = { grad, rois, channel_mapping: results[1]!, ...options, ...namedSizes(input) };
    return { input: b.tensor(psRoiAlignBackward, args), rois: null };
  },
});

/** The gradient of `ps_roi_align` with respect to the features; regions have none. */
export const psRoiAlignBackward: OpRecord & TypedOp<typeof ALIGN_BACKWARD> = defineOp(ALIGN_BACKWARD, {
  validate: (call) =>
    requireOwnGradient("_ps_roi_align_backward", call) ?? requireSamples("_ps_roi_align_backward", call.sampling_ratio),
  infer: inferFeatures,
  decompose({ grad, rois, batch_size, channels, ...options }, b) {
    const grid = gridOf(rois, options, b);
    const share = shareOfSamples(wide(grad, b), grid, b);
    const sizes = [batch_size, channels, options.height, options.width] as const;
    return arithmetic(b).cast(spreadOwnChannels(share, gradientWeights(grid, b), sizes, b), grad.dtype);
  },
});

/** Position-sensitive RoI pooling (R-FCN, Dai et al., 2016): means over bins of whole elements. */
export const psRoiPool: OpRecord & TypedOp<typeof POOL> = defineOp(POOL, {
  validate: (call) => requireOwnChannels("ps_roi_pool", call),
  infer: inferPooled,
  decompose: ({ input, rois, ...options }, b) =>
    pooled(input, poolOwnChannels(wide(input, b), poolWeights(rois, sizesOf(input, options), b, 1), b), b),
  gradient({ args: { input, rois, ...options }, results, grads: [grad] }, b) {
    if (grad === null || grad === undefined) return { input: null, rois: null };
    const args = { grad, rois, channel_mapping: results[1]!, ...options, ...namedSizes(input) };
    return { input: b.tensor(psRoiPoolBackward, args), rois: null };
  },
});

/**
 * The gradient of `ps_roi_pool` with respect to the features; regions have none. torchvision's kernels leave the last row
 * and the last column out of means, but not out of their gradients.
 */
export const psRoiPoolBackward: OpRecord & TypedOp<typeof POOL_BACKWARD> = defineOp(POOL_BACKWARD, {
  validate: (call) => requireOwnGradient("_ps_roi_pool_backward", call),
  infer: inferFeatures,
  decompose({ grad, rois, batch_size, channels, ...options }, b) {
    const sizes = [batch_size, channels, options.height, options.width] as const;
    return arithmetic(b).cast(spreadOwnChannels(wide(grad, b), poolWeights(rois, options, b, 0), sizes, b), grad.dtype);
  },
});

interface Bins {
  readonly pooled_height: number;
  readonly pooled_width: number;
}

interface Sizes extends Bins {
  readonly spatial_scale: number;
  readonly height: number;
  readonly width: number;
}

function requireOwnChannels(op: string, call: PoolCall): string | null {
  return requireRegions(op, call) ?? requireOwn(call.input.shape[1]!, call);
}

function requireOwnGradient(op: string, call: GradientCall & { readonly channels: number }): string | null {
  const bins = call.pooled_height * call.pooled_width;
  return requireOwn(call.channels, call) ?? requireGradient(op, call, call.channels / bins);
}

function requireOwn(channels: number, { pooled_height, pooled_width }: Bins): string | null {
  if (pooled_height < 1 || pooled_width < 1)
    return `the pooled size must be positive: ${pooled_height}, ${pooled_width}`;
  if (channels % (pooled_height * pooled_width) === 0) return null;
  return "input channels must be a multiple of pooling height * pooling width";
}

function inferPooled({ input, rois, pooled_height, pooled_width }: PoolCall): [TensorMeta, TensorMeta] {
  const shape = [rois.shape[0]!, input.shape[1]! / (pooled_height * pooled_width), pooled_height, pooled_width];
  return [
    { dtype: input.dtype, shape },
    { dtype: "int32", shape },
  ];
}

function inferFeatures(call: {
  readonly grad: TensorMeta;
  readonly batch_size: number;
  readonly channels: number;
  readonly height: number;
  readonly width: number;
}): TensorMeta {
  return { dtype: call.grad.dtype, shape: [call.batch_size, call.channels, call.height, call.width] };
}

function sizesOf<Options>(input: TensorMeta, options: Options): Options & { height: number; width: number } {
  return { ...options, height: input.shape[2]!, width: input.shape[3]! };
}

function namedSizes({ shape }: TensorMeta) {
  const [batch_size, channels, height, width] = shape as [number, number, number, number];
  return { batch_size, channels, height, width };
}

function pooled(input: TensorMeta, result: TensorMeta, b: Builder): [TensorMeta, TensorMeta] {
  const shape = result.shape as [number, number, number, number];
  return [arithmetic(b).cast(result, input.dtype), channelMapping(shape, b)];
}

function gridOf(given: TensorMeta, options: Sizes & { readonly sampling_ratio: number }, b: Builder): SampleGrid {
  const { mul, sub, column } = arithmetic(b);
  const rois = wide(given, b);
  const edge = (index: number): TensorMeta => sub(mul(column(rois, index), options.spatial_scale), 0.5);
  const along = (low: number, bins: number, length: number): Samples => {
    const start = edge(low);
    return sampleWeights({ start, size: sub(edge(low + 2), start), bins, length }, options.sampling_ratio, b);
  };
  return {
    rows: along(2, options.pooled_height, options.height),
    columns: along(1, options.pooled_width, options.width),
    batch: column(rois, 0),
  };
}

/** `cut`: how many of the last rows and columns are left out. */
function poolWeights(given: TensorMeta, options: Sizes, b: Builder, cut: 0 | 1): BinWeights {
  const { sub, clamp, column } = arithmetic(b);
  const rois = wide(given, b);
  const edge = (index: number): TensorMeta => wholeEdge(column(rois, index), options.spatial_scale, b);
  const along = (low: number, bins: number, length: number): TensorMeta => {
    const start = edge(low);
    const size = clamp(sub(edge(low + 2), start), 1);
    return meanWeights({ start, size, bins, length }, Math.max(length - cut, 0), b);
  };
  return {
    rows: along(2, options.pooled_height, options.height),
    columns: along(1, options.pooled_width, options.width),
    batch: column(rois, 0),
  };
}
