import type { OpRecord } from "../../op.ts";
import { ADAPTIVE_POOL_OPS } from "./adaptive-pool.ts";
import { AVG_POOL_OPS } from "./avg-pool.ts";
import { MAX_POOL_OPS } from "./max-pool.ts";

/** Pooling. */
export const POOL_OPS: readonly OpRecord[] = [...ADAPTIVE_POOL_OPS, ...AVG_POOL_OPS, ...MAX_POOL_OPS];
