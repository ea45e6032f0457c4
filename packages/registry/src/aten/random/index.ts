import type { OpRecord } from "../../op.ts";
import { DISTRIBUTION_OPS } from "./distributions.ts";
import { RRELU_OPS } from "./rrelu.ts";
import { SAMPLE_OPS } from "./sample.ts";

/** Random numbers beyond the noise itself and dropout, which are common. */
export const RANDOM_OPS: readonly OpRecord[] = [...SAMPLE_OPS, ...DISTRIBUTION_OPS, ...RRELU_OPS];
