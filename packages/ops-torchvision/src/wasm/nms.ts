import { type ModuleKernel, moduleKernel } from "@pt2/backend-wasm";
import { nmsKept } from "../nms.ts";
import { MODULE } from "./module.ts";

/** Boxes are sorted by radix, and compared four at a time. */
export const nmsKernel: ModuleKernel = moduleKernel({
  ops: [nmsKept],
  module: MODULE,
  accepts: ({ dets, scores }) => ["float32", "float64"].includes(dets.dtype) && scores.dtype === dets.dtype,
  calls({ dets, scores, iou_threshold }, [order, kept], temporary) {
    const count = dets.shape[0]!;
    const bits = dets.dtype === "float32" ? 32 : 64;
    const keys = temporary("int64", [2, count]);
    const indices = temporary("int32", [2, count]);
    const counts = temporary("int32", [256]);
    const columns = temporary(dets.dtype, [6, Math.ceil(count / 4) * 4]);
    return [
      [`sortByScore${bits}`, scores, order, keys, indices, counts, count],
      [`nms${bits}`, dets, order, kept!, columns, count, iou_threshold],
    ];
  },
});
