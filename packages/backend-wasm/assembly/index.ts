// The kernels: what is exported here becomes a member of `Kernels` in src/kernels.gen.ts.
export { gemmPacked } from "./gemm";
export { gemmPackB, gemmPackedBytes } from "./gemm-pack";
