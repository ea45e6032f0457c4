import type { WebgpuKernel } from "../../engine/kernel.ts";
import { complexProduct } from "./complex-product.ts";
import { groupedMm } from "./grouped.ts";
import { plainProduct } from "./plain-product.ts";

/** Products of integers and of complex numbers, and of groups of rows. */
export const OTHER_PRODUCTS: readonly WebgpuKernel[] = [plainProduct, complexProduct, groupedMm];
