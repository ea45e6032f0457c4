// Convolutions with few output channels, and softmax over channels, which lie in planes: what is exported here becomes a member of
// `PlanarKernels` in src/kernels/conv/planar-plain.gen.ts, a module of its own that loads with the first of them.
export { planarRows } from "./conv-planar";
export { softmaxColumns, softmaxScratch } from "./softmax-columns";
