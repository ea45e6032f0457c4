import type { OpRecord } from "../../op.ts";
import { LINALG_OPS } from "./factor.ts";

/** Linear algebra beyond products. */
export const LINEAR_ALGEBRA_OPS: readonly OpRecord[] = [...LINALG_OPS];
