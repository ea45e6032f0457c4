import type { WebgpuKernel } from "../../engine/kernel.ts";
import { cat } from "./cat.ts";
import { complexJoin, complexPart } from "./complex.ts";
import { reinterpret } from "./reinterpret.ts";
import { asStridedScatter } from "./scatter-views.ts";

/** What moves elements, and what reads them as another dtype. */
export const COPIES: readonly WebgpuKernel[] = [cat, asStridedScatter, reinterpret, complexPart, complexJoin];
