// The kernels of reductions and scans that float32's do not compute: what is exported here becomes a member of `ReductionKernels`
// in src/kernels/reduce/reductions.gen.ts, a module of its own that loads with the first of these ops.
export { reduce } from "./reduce-any";
export { argExtremes } from "./reduce-arg";
export { complexProducts, scan } from "./scan";
export { runningExtremes } from "./scan-extremes";
