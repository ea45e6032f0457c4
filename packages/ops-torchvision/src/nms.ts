import { defineOp, type OpRecord, type TensorMeta, type TypedOp } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";
import { numbersOf } from "./elements.ts";
import { keptBoxes } from "./kept-boxes.ts";

const SCHEMA = "torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor";
const KEPT =
  "pt2_torchvision::nms_kept(Tensor dets, Tensor scores, float iou_threshold) -> (Tensor order, Tensor kept)";

/**
 * Non-maximum suppression: the boxes that no kept box of a higher score overlaps by more than `iou_threshold`, as their
 * indices by descending score, int64 [kept]. `dets`: [n, 4], x1, y1, x2, y2; `scores`: [n].
 */
export const nms: OpRecord & TypedOp<typeof SCHEMA> = defineOp(SCHEMA, {
  validate: requireBoxes,
  infer: ({ dets }) => ({ dtype: "int64", shape: [dets.shape[0]!] }),
  dynamic: true,
  decompose({ dets, scores, iou_threshold }, b) {
    const { cast } = arithmetic(b);
    const wide = (x: TensorMeta): TensorMeta => (x.dtype === "float64" ? x : cast(x, "float32"));
    const [order, kept] = b.call(nmsKept, { dets: wide(dets), scores: wide(scores), iou_threshold });
    return b.tensor("aten::masked_select", { self: order, mask: kept });
  },
});

/**
 * The part of `nms` whose results have the same sizes for any data. `order`: the boxes by descending score, equal ones by
 * ascending index, int64 [n]; `kept`: whether each of these is kept, bool [n]. Boxes are float32 or float64.
 */
export const nmsKept: OpRecord & TypedOp<typeof KEPT> = defineOp(KEPT, {
  validate: requireBoxes,
  infer: ({ dets }) => [
    { dtype: "int64", shape: [dets.shape[0]!] },
    { dtype: "bool", shape: [dets.shape[0]!] },
  ],
  compute({ dets, scores, iou_threshold }) {
    const { order, kept } = keptBoxes(numbersOf(dets), numbersOf(scores), iou_threshold);
    const shape = [order.length];
    return [
      { dtype: "int64", shape, data: BigInt64Array.from(order, BigInt) },
      { dtype: "bool", shape, data: kept },
    ];
  },
});

interface BoxCall {
  readonly dets: TensorMeta;
  readonly scores: TensorMeta;
}

/** What is wrong with boxes and scores, by torchvision's own conditions; null where nothing is. */
function requireBoxes({ dets, scores }: BoxCall): string | null {
  if (dets.shape.length !== 2) return `boxes should be a 2d tensor, got ${dets.shape.length}D`;
  if (dets.shape[1] !== 4) return `boxes should have 4 elements in dimension 1, got ${dets.shape[1]}`;
  if (scores.shape.length !== 1) return `scores should be a 1d tensor, got ${scores.shape.length}D`;
  if (dets.shape[0] !== scores.shape[0]) {
    return `boxes and scores should have same number of elements in dimension 0, got ${dets.shape[0]} and ${scores.shape[0]}`;
  }
  if (dets.dtype !== scores.dtype)
    return `dets should have the same type as scores, got ${dets.dtype} and ${scores.dtype}`;
  return /^b?float/.test(dets.dtype) ? null : `${dets.dtype} is not a dtype of floating point numbers`;
}
