import type { WebgpuKernel } from "../../engine/kernel.ts";
import { ARG_REDUCTIONS } from "./extreme.ts";
import { FOLDS } from "./fold.ts";

/** Reductions over any dimensions. */
export const REDUCTIONS: readonly WebgpuKernel[] = [...FOLDS, ...ARG_REDUCTIONS];
