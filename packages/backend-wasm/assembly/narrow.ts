// Linear layers whose weights have one byte or two for each element, and attention to keys of two: what is exported here becomes
// a member of `NarrowKernels` in src/kernels/matmul/narrow-plain.gen.ts, a module of its own that loads with the first of them.
export { attentionHalf, attentionHalfScratch } from "./attention-half";
export { halfFloats, halfIsFinite, halfRows } from "./linear-half";
export { int8Floats, int8Rows } from "./linear-int8";
