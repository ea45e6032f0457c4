import type { OpRecord } from "../../op.ts";
import { COLUMN_OPS } from "./column.ts";
import { CONVOLUTION_OPS } from "./convolution.ts";

/** Convolutions. */
export const CONV_OPS: readonly OpRecord[] = [...COLUMN_OPS, ...CONVOLUTION_OPS];
