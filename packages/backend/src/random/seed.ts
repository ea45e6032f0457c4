import { backendError } from "../backend-errors.ts";

/** A seed of `manualSeed`: an integer from -2^63 to 2^64 - 1, as PyTorch takes it. */
export type Seed = number | bigint;

/** Throws unless this is a seed. A number has to be exact: larger ones are bigints. */
export function requireSeed(seed: unknown): asserts seed is Seed {
  const isInteger = typeof seed === "bigint" || Number.isSafeInteger(seed);
  if (isInteger && (seed as Seed) >= -(2n ** 63n) && (seed as Seed) < 2n ** 64n) return;
  throw backendError("backend.seed", {
    what: `${typeof seed === "object" ? JSON.stringify(seed) : String(seed)} is not a seed`,
    advice: "Pass an integer from -2^63 to 2^64 - 1, as a bigint from 2^53 on: the same seed gives the same numbers.",
  });
}
