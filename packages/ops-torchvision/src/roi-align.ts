import { type Builder, defineOp, type OpRecord, type TensorMeta, type TypedOp } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";
import { poolRegions, spreadRegions } from "./pool-regions.ts";
import { requireGradient, requireRegions, requireSamples, wide } from "./regions.ts";
import { gradientWeights, meanOfSamples, type SampleGrid, shareOfSamples, sumWeights } from "./sample-means.ts";
import { type Samples, sampleWeights } from "./sample-weights.ts";

const SCHEMA =
  "torchvision::roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor";
const BACKWARD_SCHEMA =
  "torchvision::_roi_align_backward(Tensor grad, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width, int sampling_ratio, bool aligned) -> Tensor";

/** RoIAlign (He et al., Mask R-CNN, 2017): features of regions, interpolated at samples of equal distance. */
export const roiAlign: OpRecord & TypedOp<typeof SCHEMA> = defineOp(SCHEMA, {
  validate: (call) => requireRegions("roi_align", call) ?? requireSamples("roi_align", call.sampling_ratio),
  infer: ({ input, rois, pooled_height, pooled_width }) => ({
    dtype: input.dtype,
    shape: [rois.shape[0]!, input.shape[1]!, pooled_height, pooled_width],
  }),
  decompose({ input, rois, ...options }, b) {
    const [pictures, , height, width] = input.shape as [number, number, number, number];
    const grid = gridOf(wide(rois, b), { ...options, height, width }, b);
    const sums = poolRegions(wide(input, b), sumWeights(grid), b);
    return arithmetic(b).cast(meanOfSamples(sums, grid, { pictures, nothing: 0 }, b), input.dtype);
  },
  gradient({ args: { input, rois, ...options }, grads: [grad] }, b) {
    const [batch_size, channels, height, width] = input.shape as [number, number, number, number];
    const sizes = { batch_size, channels, height, width };
    return { input: b.tensor(roiAlignBackward, { grad: grad!, rois, ...options, ...sizes }), rois: null };
  },
});

/** The gradient of `roi_align` with respect to the features; regions have none. */
export const roiAlignBackward: OpRecord & TypedOp<typeof BACKWARD_SCHEMA> = defineOp(BACKWARD_SCHEMA, {
  validate: (call) =>
    requireGradient("_roi_align_backward", call, call.channels) ??
    requireSamples("_roi_align_backward", call.sampling_ratio),
  infer: ({ grad, batch_size, channels, height, width }) => ({
    dtype: grad.dtype,
    shape: [batch_size, channels, height, width],
  }),
  decompose({ grad, rois, batch_size, channels, ...options }, b) {
    const grid = gridOf(wide(rois, b), options, b);
    const share = shareOfSamples(wide(grad, b), grid, b);
    const sizes = [batch_size, channels, options.height, options.width] as const;
    return arithmetic(b).cast(spreadRegions(share, gradientWeights(grid, b), sizes, b), grad.dtype);
  },
});

interface Options {
  readonly spatial_scale: number;
  readonly pooled_height: number;
  readonly pooled_width: number;
  readonly height: number;
  readonly width: number;
  readonly sampling_ratio: number;
  readonly aligned: boolean;
}

function gridOf(rois: TensorMeta, options: Options, b: Builder): SampleGrid {
  const { mul, sub, clamp, column } = arithmetic(b);
  const { spatial_scale, aligned } = options;
  const edge = (index: number): TensorMeta => {
    const scaled = mul(column(rois, index), spatial_scale);
    return aligned ? sub(scaled, 0.5) : scaled;
  };
  const along = (low: number, bins: number, length: number): Samples => {
    const start = edge(low);
    const size = sub(edge(low + 2), start);
    return sampleWeights({ start, size: aligned ? size : clamp(size, 1), bins, length }, options.sampling_ratio, b);
  };
  return {
    rows: along(2, options.pooled_height, options.height),
    columns: along(1, options.pooled_width, options.width),
    batch: column(rois, 0),
  };
}
