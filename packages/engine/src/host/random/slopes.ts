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
  const noise = new Float64Array(data.length);
  for (let i = 0; i < data.length; i++) {
    const x = data[i]!;
    noise[i] = x <= 0 ? random.uniform() * (limit - least) + least : 1;
    data[i] = x * noise[i]!;
  }
  return [data, noise];
}
