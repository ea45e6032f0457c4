import type { CpuGenerator } from "@pt2/backend";
import type { Scalar } from "@pt2/registry";
import { numberOf } from "../../staged/run-value.ts";
import type { HostArray } from "../host-array.ts";

/** Multiplies elements up to 0 by slopes of their own from `lower` to `upper`; the second result has 1 for the others. */
export function slopes(
  random: CpuGenerator,
  { data }: HostArray,
  lower: Scalar,
  upper: Scalar,
): readonly [results: Float64Array, noise: Float64Array] {
  const [least, limit] = [Number(numberOf(lower)), Number(numberOf(upper))];
  const noise = data.map((x) => (x <= 0 ? random.uniform() * (limit - least) + least : 1));
  return [data.map((x, i) => x * noise[i]!), noise];
}
