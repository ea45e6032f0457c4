import { contiguousStrides } from "@pt2/format";
import { type DynamicKernel, dynamicKernel } from "../staged/dynamic-kernel.ts";
import { broadcastPositions, broadcastShape } from "../strides/broadcast.ts";
import { selectElements } from "./advanced-index.ts";
import { takeElements } from "./bytes.ts";

/** `masked_select(self, mask)`: the elements where the mask is true, row-major. */
export const maskedSelect: DynamicKernel = dynamicKernel(["aten::masked_select"], ({ self: tensor, mask: chosen }) => {
  const shape = broadcastShape([tensor.shape, chosen.shape]);
  const from = broadcastPositions(tensor.shape, shape);
  const flags = broadcastPositions(chosen.shape, shape);
  const picked: number[] = [];
  for (let i = 0; i < from.length; i++) if (chosen.bytes[flags[i]!] !== 0) picked.push(from[i]!);
  return [takeElements(tensor, picked)];
});

/** `index(self, indices)` where some index is a mask. */
export const indexMask: DynamicKernel = dynamicKernel(["aten::index.Tensor"], ({ self: tensor, indices }) => {
  const { shape, offsets } = selectElements(tensor.shape, contiguousStrides(tensor.shape), indices);
  return [{ ...takeElements(tensor, offsets), shape }];
});
