// Order: what is exported here becomes a member of `OrderKernels` in src/kernels/sort/ordering.gen.ts, a module of its own that loads with
// the first op that puts elements into order.
export { orderFloats, orderScratch } from "./order";
export { selectFirst, selectScratch } from "./select-first";
