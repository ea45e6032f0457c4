/** PyTorch's own ops as an op set, for `createRegistry`. */
export { aten } from "./aten/index.ts";
