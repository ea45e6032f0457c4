// The kernels: what is exported here becomes a member of `Kernels` in src/kernels.gen.ts.
export { gemmPacked } from "./gemm";
export { gemmBatch } from "./gemm-batch";
export { gemmPackB, gemmPackedBytes } from "./gemm-pack";
export { im2colRows } from "./conv-im2col";
export { clampFloats, col2imRows, fillBias } from "./conv-transposed";
export { gather5 } from "./conv-weights";
export { depthwiseRows, depthwiseRowsScalar } from "./depthwise";
export { winogradPack, winogradScratch, winogradTiles } from "./winograd";
export { poolMax, poolMean } from "./pool";
export { poolMaxIndices } from "./pool-indices";
export { resizeAxis } from "./resize";
