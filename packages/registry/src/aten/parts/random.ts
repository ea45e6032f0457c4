import type { OpRecord } from "../../op.ts";
import { DISTRIBUTION_OPS } from "../random/distributions.ts";
import { NOISE_OPS } from "../random/noise.ts";
import { RRELU_OPS } from "../random/rrelu.ts";
import { SAMPLE_OPS } from "../random/sample.ts";

/** Random numbers. */
export const randomOps: readonly OpRecord[] = [...DISTRIBUTION_OPS, ...NOISE_OPS, ...RRELU_OPS, ...SAMPLE_OPS];
