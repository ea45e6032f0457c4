// All copies: what is exported here becomes a member of `CopyKernels` in src/kernels/copy/copies.gen.ts, a module of its own that loads with
// the first copy that is faster there.
export { copy1, copy2, copy4, copy8 } from "./copy";
