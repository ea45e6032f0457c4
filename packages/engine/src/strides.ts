// Arithmetic of strided layouts, for backends that place tensors themselves.

export { requireIndex } from "./staged/index-error.ts";
export { broadcastPositions, broadcastShape } from "./strides/broadcast.ts";
export { checkInside } from "./strides/inside.ts";
export {
  broadcastStrides,
  channelsLast,
  contiguousStrides,
  isDense,
  type Layout,
  resultStrides,
  sameStrides,
} from "./strides/layout.ts";
export { forEachOffset, type Lanes, lanesOf, normalDim, offsetsOf, wrapIndex } from "./strides/offsets.ts";
