import type { WebgpuKernel } from "../../engine/kernel.ts";
import { complexProduct } from "./complex-product.ts";
import { groupedMm } from "./grouped.ts";
import { addmm, bmm, linear, mm } from "./linear.ts";
import { plainProduct } from "./plain-product.ts";

/** Products of matrices. */
export const PRODUCTS: readonly WebgpuKernel[] = [linear, mm, addmm, bmm, plainProduct, complexProduct, groupedMm];
