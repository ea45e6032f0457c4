import type { OpSet } from "../op-set.ts";
import { commonOps } from "./common.ts";
import { uncommonOps } from "./uncommon.ts";

/** PyTorch's own ops. */
export const aten: OpSet = { name: "aten", ops: [...commonOps.ops, ...uncommonOps.ops] };
