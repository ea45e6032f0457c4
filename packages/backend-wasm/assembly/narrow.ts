// Linear layers whose weights have one byte or two for each element: what is exported here becomes a member of `NarrowKernels` in
// src/kernels/matmul/narrow-plain.gen.ts, a module of its own that loads with the first of them.
export { halfFloats, halfIsFinite, halfRows } from "./linear-half";
export { int8Floats, int8Rows } from "./linear-int8";
