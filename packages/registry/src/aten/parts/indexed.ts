import type { OpRecord } from "../../op.ts";
import { GATHER_OPS } from "../index/gather.ts";
import { SCATTER_OPS } from "../index/scatter.ts";

/** Ops that read and write where a tensor of indices says. */
export const indexedOps: readonly OpRecord[] = [...GATHER_OPS, ...SCATTER_OPS];
