import type { OpRecord } from "../../op.ts";
import { CONVOLUTION_OPS } from "./convolution.ts";

/** Convolutions. */
export const CONV_OPS: readonly OpRecord[] = [...CONVOLUTION_OPS];
