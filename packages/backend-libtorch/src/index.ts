export type { Libtorch } from "./install/libtorch.ts";
