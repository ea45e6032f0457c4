import { type Builder, defineOp, type OpRecord, type TensorMeta, type TypedOp } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";
import { insideBins } from "./bin-weights.ts";
import { requireRegions, wide } from "./regions.ts";

const SCHEMA =
  "torchvision::roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, Tensor)";
const BACKWARD_SCHEMA =
  "torchvision::_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor";

/**
 * RoI pooling (Girshick, Fast R-CNN, 2015): the largest element of each bin, and its place in the plane; 0 and −1 for a bin
 * without elements.
 */
export const roiPool: OpRecord & TypedOp<typeof SCHEMA> = defineOp(SCHEMA, {
  validate: ({ input, rois }) => requireRegions("roi_pool", input, rois),
  infer({ input, rois, pooled_height, pooled_width }) {
    const shape = [rois.shape[0]!, input.shape[1]!, pooled_height, pooled_width];
    return [
      { dtype: input.dtype, shape },
      { dtype: "int32", shape },
    ];
  },
  decompose({ input, rois: given, spatial_scale, pooled_height, pooled_width }, b) {
    const { add, sub, mul, gt, lt, round, clamp, column, cast, reshape, permute, where } = arithmetic(b);
    const [, c, height, width] = input.shape as [number, number, number, number];
    const rois = wide(given, b);
    const k = rois.shape[0]!;
    const edge = (index: number): TensorMeta => round(mul(column(rois, index), spatial_scale));
    const binsAlong = (low: number, bins: number, length: number): TensorMeta => {
      const start = edge(low);
      const size = clamp(add(sub(edge(low + 2), start), 1), 1);
      return insideBins({ start, size, bins, length }, length, b);
    };
    const rows = reshape(binsAlong(2, pooled_height, height), k, 1, 1, pooled_height, height);
    const columns = reshape(binsAlong(1, pooled_width, width), k, 1, 1, pooled_width, width);
    const own = b.tensor("aten::index_select", { self: wide(input, b), dim: 0, index: cast(column(rois, 0), "int64") });
    // As in torchvision's kernel, nothing is smaller than this: no NaN, and no minus infinity.
    const features = reshape(where(gt(own, LEAST), own, LEAST), k, c, height, 1, width);
    // Of equal elements the first counts, row by row: first the largest of each row [K, C, H, bins], then that of the rows
    // [K, C, bins, bins], where columns come first.
    const inRow = largest(where(columns, features, -Infinity), b);
    const values = reshape(permute(inRow.value, 0, 1, 3, 2), k, c, pooled_width, 1, height);
    const inBin = largest(where(rows, values, -Infinity), b);
    const columnInRow = b.tensor("aten::gather", {
      self: permute(inRow.place, 0, 1, 3, 2),
      dim: 3,
      index: inBin.place,
    });
    const place = where(gt(inBin.value, LEAST), add(mul(inBin.place, width), columnInRow), -1);
    const isFilled = b.tensor("aten::logical_not", { self: lt(inBin.value, LEAST) });
    const byRows = (x: TensorMeta): TensorMeta => permute(x, 0, 1, 3, 2);
    return [cast(byRows(where(isFilled, inBin.value, 0)), input.dtype), cast(byRows(place), "int32")];
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
  infer: ({ grad, batch_size, channels, height, width }) => ({
    dtype: grad.dtype,
    shape: [batch_size, channels, height, width],
  }),
  decompose({ grad, rois, argmax, batch_size, channels, height, width }, b) {
    const { cast, reshape, mul, add, column, ge, where } = arithmetic(b);
    const count = grad.shape.reduce((product, size) => product * size, 1);
    const picture = reshape(cast(column(rois, 0), "int64"), rois.shape[0]!, 1, 1, 1);
    const channel = reshape(b.tensor("aten::arange", { end: channels, dtype: "int64" }), channels, 1, 1);
    const plane = add(mul(picture, channels), channel);
    const isFound = ge(argmax, 0);
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

/** C's `-FLT_MAX`. */
const LEAST = -3.4028234663852886e38;

function largest(x: TensorMeta, b: Builder): { readonly value: TensorMeta; readonly place: TensorMeta } {
  const [value, place] = b.call("aten::max.dim", { self: x, dim: -1 });
  return { value, place };
}
