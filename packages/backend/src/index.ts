export type * from "./contract.ts";
export { BACKEND_API_VERSION } from "./contract.ts";
export type { ElementwiseGroup, FuseOptions, Step } from "./fuse.ts";
export { fuse, operandsOf } from "./fuse.ts";
export type { ArenaPlan, Lifetime } from "./plan-arena.ts";
export { planArena } from "./plan-arena.ts";
export type { HostTensor, Tensor, TypedArray } from "./tensor.ts";
export { hostTensor, numel, viewAs } from "./tensor.ts";
