// Products and windows of rare dtypes: what is exported here becomes a member of `ProductKernels` in src/kernels/matmul/products.gen.ts, a module
// of its own that loads with the first of them.
export { dotColumns, dotColumnsDouble, dotRows, dotRowsDouble } from "./dot-rows";
export { poolLargest, poolMeans } from "./pool-windows";
export { productFloat64, productInt32, productInt8 } from "./product";
export { productInt64 } from "./product-int64";
export { productPack1, productPack8, productWiden } from "./product-pack";
