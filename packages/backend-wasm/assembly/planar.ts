// Convolutions with few output channels: what is exported here becomes a member of `PlanarKernels` in
// src/kernels/conv/planar-plain.gen.ts, a module of its own that loads with the first of them.
export { planarRows } from "./conv-planar";
