import type { OpRecord } from "../../op.ts";
import { DISTRIBUTION_OPS } from "./distributions.ts";
import { DROPOUT_OPS } from "./dropout.ts";
import { RRELU_OPS } from "./rrelu.ts";
import { SAMPLE_OPS } from "./sample.ts";

/** Random numbers. */
export const RANDOM_OPS: readonly OpRecord[] = [...DROPOUT_OPS, ...SAMPLE_OPS, ...DISTRIBUTION_OPS, ...RRELU_OPS];
