import type { OpRecord } from "../../op.ts";
import { BACKWARD_OPS } from "./backward.ts";

/** Backward ops. */
export const GRADIENT_OPS: readonly OpRecord[] = [...BACKWARD_OPS];
