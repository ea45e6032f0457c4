import { type HostTensor, hostTensor, numel } from "@pt2/backend";
import { randomFloats, randomUnit } from "@pt2/testing/random";

/** The same numbers in [-scale, scale) on every run. */
export function random(shape: readonly number[], seed = 1, scale = 1): HostTensor {
  return hostTensor(
    "float32",
    shape,
    randomFloats(randomUnit(seed), numel(shape)).map((value) => value * scale),
  );
}
