import { defineOp, type OpRecord, type TypedOp } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";
import { memoryOf, numbersOf } from "./elements.ts";
import { largestInBins } from "./largest-in-bins.ts";
import { pictureOf } from "./pool-regions.ts";
import { requireGradient, requireRegions, wide } from "./regions.ts";

const SCHEMA =
  "torchvision::roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, Tensor)";
const BACKWARD_SCHEMA =
  "torchvision::_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor";

/**
 * RoI pooling (Girshick, Fast R-CNN, 2015): the largest element of each bin, and its place in the plane; 0 and −1 for a bin
 * without elements, as all are of a picture that is not there. As ops of PyTorch it would need a copy of the features for each
 * region; so a function computes it where no kernel does.
 */
export const roiPool: OpRecord & TypedOp<typeof SCHEMA> = defineOp(SCHEMA, {
  validate: (call) => requireRegions("roi_pool", call),
  infer({ input, rois, pooled_height, pooled_width }) {
    const shape = [rois.shape[0]!, input.shape[1]!, pooled_height, pooled_width];
    return [
      { dtype: input.dtype, shape },
      { dtype: "int32", shape },
    ];
  },
  compute({ input, rois, spatial_scale, pooled_height, pooled_width }) {
    const shape = input.shape as [number, number, number, number];
    const { values, places } = largestInBins({
      features: numbersOf(input),
      shape,
      rois: numbersOf(rois),
      scale: spatial_scale,
      down: pooled_height,
      across: pooled_width,
    });
    const pooled = [rois.shape[0]!, shape[1], pooled_height, pooled_width];
    return [
      { dtype: input.dtype, shape: pooled, data: memoryOf(values, input.dtype) },
      { dtype: "int32", shape: pooled, data: places },
    ];
  },
  gradient({ args: { input, rois, ...options }, results: [, argmax], grads: [grad] }, b) {
    if (grad === null || grad === undefined) return { input: null, rois: null };
    const [batch_size, channels, height, width] = input.shape as [number, number, number, number];
    const sizes = { batch_size, channels, height, width };
    return { input: b.tensor(roiPoolBackward, { grad, rois, argmax: argmax!, ...options, ...sizes }), rois: null };
  },
});

/** The gradient of `roi_pool` with respect to the features; regions have none. */
export const roiPoolBackward: OpRecord & TypedOp<typeof BACKWARD_SCHEMA> = defineOp(BACKWARD_SCHEMA, {
  validate(call) {
    const problem = requireGradient("_roi_pool_backward", call, call.channels);
    if (problem !== null || `${call.argmax.shape}` === `${call.grad.shape}`) return problem;
    return `_roi_pool_backward: argmax must be [${call.grad.shape}], not [${call.argmax.shape}]`;
  },
  infer: ({ grad, batch_size, channels, height, width }) => ({
    dtype: grad.dtype,
    shape: [batch_size, channels, height, width],
  }),
  decompose({ grad, rois, argmax, batch_size, channels, height, width }, b) {
    const { cast, reshape, mul, add, column, both, ge, lt, where } = arithmetic(b);
    const count = grad.shape.reduce((product, size) => product * size, 1);
    const picture = reshape(pictureOf(column(wide(rois, b), 0), b), rois.shape[0]!, 1, 1, 1);
    const isThere = both(ge(picture, 0), lt(picture, batch_size));
    const channel = reshape(b.tensor("aten::arange", { end: channels, dtype: "int64" }), channels, 1, 1);
    const plane = add(mul(cast(where(isThere, picture, 0), "int64"), channels), channel);
    const isFound = both(isThere, ge(argmax, 0), lt(argmax, height * width));
    const index = add(mul(plane, height * width), where(isFound, cast(argmax, "int64"), 0));
    const src = where(isFound, wide(grad, b), 0);
    const zeros = b.tensor("aten::zeros", { size: [batch_size * channels * height * width], dtype: src.dtype });
    const sum = b.tensor("aten::scatter_add", {
      self: zeros,
      dim: 0,
      index: reshape(index, count),
      src: reshape(src, count),
    });
    return cast(reshape(sum, batch_size, channels, height, width), grad.dtype);
  },
});
