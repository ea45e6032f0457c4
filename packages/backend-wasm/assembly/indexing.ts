// The kernels of ops that read and write where positions say: what is exported here becomes a member of `IndexKernels` in
// src/kernels/index/indexing.gen.ts, a module of its own that loads with the first of these ops.
export { combineRows, divideByCounts, moveRows, readRows } from "./index-rows";
