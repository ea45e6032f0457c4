// The kernels: what is exported here becomes a member of `Kernels` in src/kernels.gen.ts.
export { gemmPacked } from "./gemm";
export { gemmPackB, gemmPackedBytes } from "./gemm-pack";
export { im2colRows } from "./conv-im2col";
export { clampFloats, col2imRows, fillBias } from "./conv-transposed";
export { gather5 } from "./conv-weights";
export { depthwiseRows, depthwiseRowsScalar } from "./depthwise";
export { winogradPack, winogradScratch, winogradTiles } from "./winograd";
