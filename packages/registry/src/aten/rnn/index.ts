import type { OpRecord } from "../../op.ts";
import { RNN_OPS } from "./rnn.ts";

/** Recurrent layers. */
export const RECURRENT_OPS: readonly OpRecord[] = [...RNN_OPS];
