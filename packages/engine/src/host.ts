// Kernels on host data, for ops that are rare and small where they occur: a backend copies tensors out, runs one, and
// copies the results in.

export { type ByteTable, byteTable, type ExactResize, type ResizeRow, resizeRows } from "./host/byte-tables.ts";
export { type ChirpTables, chirpTables, paddedSize, radicesOf } from "./host/fourier.ts";
export { type HostArray, hostArray, hostData } from "./host/host-array.ts";
export {
  type HostCall,
  type HostKernel,
  type HostRequest,
  hostKernel,
  runHostKernel,
  tensorsRead,
} from "./host/host-kernel.ts";
export { mirroredStarts } from "./host/mirrored-starts.ts";
export { fillWords, type MakeBlocks } from "./host/random/fill-words.ts";
export { generatorOf } from "./host/random/generator-of.ts";
export { type AxisResize, type AxisTable, isSmallImage, type ResizeMode, resizeTable } from "./host/resize-tables.ts";
export { type AxisWindow, adaptiveWindows, type Sliding, slidingWindows } from "./host/windows.ts";
export { setKeys } from "./order/keys.ts";
export { selectFirst, sortsByRadix } from "./order/select.ts";
export { SELECTION_OPS, SELECTIONS } from "./order/selections.ts";
export { type Ordered, sortRange } from "./order/sort.ts";
export { stableSort } from "./order/stable-sort.ts";
