/** PyTorch's own ops as an op set, and those of its libraries, for `createRegistry`. */
export { aten } from "./aten/index.ts";
export { libraries } from "./libraries.ts";
