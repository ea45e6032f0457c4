// Arithmetic of strided layouts, for backends that place tensors themselves.

export { requireIndex } from "./staged/index-error.ts";
export { broadcastPositions, broadcastShape } from "./strides/broadcast.ts";
export { checkInside } from "./strides/inside.ts";
export {
  broadcastStrides,
  channelsLast,
  isDense,
  type Layout,
  resultStrides,
  rowMajor,
  sameStrides,
} from "./strides/layout.ts";
export { forEachOffset, type Lanes, lanesOf, normalDim, offsetsOf, wrapIndex } from "./strides/offsets.ts";
