// Resampling of images of rare dtypes: what is exported here becomes a member of `ResamplingKernels` in
// src/kernels/resize/resampling.gen.ts, a module of its own that loads with the first of them.
export { resizeByteColumns, resizeByteRows } from "./resize-bytes";
export { resizeDoubles } from "./resize-doubles";
