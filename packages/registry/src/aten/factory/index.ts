import type { OpRecord } from "../../op.ts";
import { FILL_OPS } from "./fill.ts";
import { SEQUENCE_OPS } from "./sequence.ts";
import { SPACED_OPS } from "./spaced.ts";
import { TRIANGLE_OPS } from "./triangle.ts";

/** Tensors made from numbers. */
export const FACTORY_OPS: readonly OpRecord[] = [...FILL_OPS, ...SEQUENCE_OPS, ...SPACED_OPS, ...TRIANGLE_OPS];
