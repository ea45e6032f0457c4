import { type Builder, defineOp, type OpRecord, type TensorMeta, type TypedOp } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";
import { type Extent, meanWeights, sampleWeights } from "./bin-weights.ts";
import { channelMapping, poolOwnChannels, spreadOwnChannels } from "./pool-own-channels.ts";
import type { BinWeights } from "./pool-regions.ts";
import { requireRegions, wide } from "./regions.ts";

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
  validate: (args) => requireOwnChannels("ps_roi_align", args),
  infer: inferPooled,
  decompose: ({ input, rois, ...options }, b) =>
    pooled(input, alignWeights(rois, sizesOf(input, options), b), options, b),
  gradient({ args: { input, rois, ...options }, results, grads: [grad] }, b) {
    if (grad === null || grad === undefined) return { input: null, rois: null };
    const args = { grad, rois, channel_mapping: results[1]!, ...options, ...namedSizes(input) };
    return { input: b.tensor(psRoiAlignBackward, args), rois: null };
  },
});

/** The gradient of `ps_roi_align` with respect to the features; regions have none. */
export const psRoiAlignBackward: OpRecord & TypedOp<typeof ALIGN_BACKWARD> = defineOp(ALIGN_BACKWARD, {
  infer: inferFeatures,
  decompose: ({ grad, rois, batch_size, channels, ...options }, b) =>
    spread(grad, alignWeights(rois, options, b, true), [batch_size, channels, options.height, options.width], b),
});

/** Position-sensitive RoI pooling (R-FCN, Dai et al., 2016): means over bins of whole elements. */
export const psRoiPool: OpRecord & TypedOp<typeof POOL> = defineOp(POOL, {
  validate: (args) => requireOwnChannels("ps_roi_pool", args),
  infer: inferPooled,
  decompose: ({ input, rois, ...options }, b) =>
    pooled(input, poolWeights(rois, sizesOf(input, options), b, 1), options, b),
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
  infer: inferFeatures,
  decompose: ({ grad, rois, batch_size, channels, ...options }, b) =>
    spread(grad, poolWeights(rois, options, b, 0), [batch_size, channels, options.height, options.width], b),
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

interface PoolCall extends Bins {
  readonly input: TensorMeta;
  readonly rois: TensorMeta;
}

function requireOwnChannels(op: string, { input, rois, pooled_height, pooled_width }: PoolCall): string | null {
  const problem = requireRegions(op, input, rois);
  if (problem !== null || input.shape[1]! % (pooled_height * pooled_width) === 0) return problem;
  return "input channels must be a multiple of pooling height * pooling width";
}

function pooledShape({ input, rois, pooled_height, pooled_width }: PoolCall): [number, number, number, number] {
  return [rois.shape[0]!, input.shape[1]! / (pooled_height * pooled_width), pooled_height, pooled_width];
}

function inferPooled(call: PoolCall): [TensorMeta, TensorMeta] {
  const shape = pooledShape(call);
  return [
    { dtype: call.input.dtype, shape },
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

function pooled(input: TensorMeta, weights: BinWeights, bins: Bins, b: Builder): [TensorMeta, TensorMeta] {
  const shape = pooledShape({ input, rois: weights.batch, ...bins });
  const result = poolOwnChannels(wide(input, b), weights, b);
  return [arithmetic(b).cast(result, input.dtype), channelMapping(shape, b)];
}

function spread(
  grad: TensorMeta,
  weights: BinWeights,
  sizes: readonly [number, number, number, number],
  b: Builder,
): TensorMeta {
  return arithmetic(b).cast(spreadOwnChannels(wide(grad, b), weights, sizes, b), grad.dtype);
}

function alignWeights(
  rois: TensorMeta,
  options: Sizes & { readonly sampling_ratio: number },
  b: Builder,
  emptyIsZero = false,
): BinWeights {
  const { mul, sub } = arithmetic(b);
  const edge = (corner: TensorMeta): TensorMeta => sub(mul(corner, options.spatial_scale), 0.5);
  const sampling = { ratio: options.sampling_ratio, emptyIsZero };
  return weightsOf(rois, options, b, {
    extentOf: (low, high) => ({ start: edge(low), size: sub(edge(high), edge(low)) }),
    weights: (extent) => sampleWeights(extent, sampling, b),
  });
}

/** `cut`: how many of the last rows and columns are left out. */
function poolWeights(rois: TensorMeta, options: Sizes, b: Builder, cut: 0 | 1): BinWeights {
  const { mul, sub, clamp, round } = arithmetic(b);
  const edge = (corner: TensorMeta): TensorMeta => round(mul(corner, options.spatial_scale));
  return weightsOf(rois, options, b, {
    extentOf: (low, high) => ({ start: edge(low), size: clamp(sub(edge(high), edge(low)), 1) }),
    weights: (extent) => meanWeights(extent, extent.length - cut, b),
  });
}

interface Rule {
  extentOf(low: TensorMeta, high: TensorMeta): Pick<Extent, "start" | "size">;
  weights(extent: Extent): TensorMeta;
}

function weightsOf(given: TensorMeta, options: Sizes, b: Builder, { extentOf, weights }: Rule): BinWeights {
  const { column } = arithmetic(b);
  const rois = wide(given, b);
  const along = (low: number, bins: number, length: number): TensorMeta =>
    weights({ ...extentOf(column(rois, low), column(rois, low + 2)), bins, length });
  return {
    rows: along(2, options.pooled_height, options.height),
    columns: along(1, options.pooled_width, options.width),
    batch: column(rois, 0),
  };
}
