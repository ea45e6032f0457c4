import { numel } from "@pt2/backend";
import { contiguousStrides, DTYPES, sameShape } from "@pt2/format";
import { isMask } from "@pt2/registry";
import { type DynamicKernel, dynamicKernel } from "../staged/dynamic-kernel.ts";
import { broadcastPositions, broadcastShape } from "../strides/broadcast.ts";
import { selectElements } from "./advanced-index.ts";
import { takeElements, takeRows } from "./bytes.ts";
import { positions } from "./nonzero.ts";

/** `masked_select(self, mask)`: the elements where the mask is true, row-major. */
export const maskedSelect: DynamicKernel = dynamicKernel(["aten::masked_select"], ({ self: tensor, mask: chosen }) => {
  const shape = broadcastShape([tensor.shape, chosen.shape]);
  const [from, flags] = [tensor, chosen].map((each) =>
    sameShape(each.shape, shape) ? null : broadcastPositions(each.shape, shape),
  );
  const picked = new Int32Array(numel(shape));
  let next = 0;
  for (let i = 0; i < picked.length; i++) {
    // Without a branch, which would be guessed wrong often.
    picked[next] = from ? from[i]! : i;
    next += Number(chosen.bytes[flags ? flags[i]! : i] !== 0);
  }
  return [takeElements(tensor, picked.subarray(0, next))];
});

/** `index(self, indices)` where some index is a mask. */
export const indexMask: DynamicKernel = dynamicKernel(["aten::index.Tensor"], ({ self: tensor, indices }) => {
  const { dtype, shape: given, bytes } = tensor;
  const [mask, ...others] = indices;
  if (mask && isMask(mask) && others.every((index) => index === null)) {
    // Whole rows: all that is behind the dimensions of the mask.
    const rows = positions(mask);
    const kept = given.slice(mask.shape.length);
    const size = numel(kept) * DTYPES[dtype].itemsize;
    return [{ dtype, shape: [rows.length, ...kept], bytes: takeRows(bytes, size, rows) }];
  }
  const { shape, offsets } = selectElements(given, contiguousStrides(given), indices);
  return [{ ...takeElements(tensor, offsets), shape }];
});
