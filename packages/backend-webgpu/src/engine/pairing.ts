import type { Step } from "@pt2/backend";
import type { LoweredTensor } from "@pt2/registry";
import { onDemand } from "@pt2/registry/on-demand";
import { isPairing } from "./is-pairing.ts";
import type { PairStep } from "./pairs.ts";

const chains = onDemand("loops over complex numbers", () => import("./pair-chains.ts"));

/** The steps with loops over complex numbers, where a program puts pairs of numbers together. */
export function pairUp(
  steps: readonly Step[],
  live: ReadonlySet<LoweredTensor>,
  maxInputs: number,
): readonly (Step | PairStep)[] {
  const pairs = steps.some((step) => step.kind === "call" && isPairing(step.call));
  return pairs ? chains().chainPairs(steps, live, maxInputs) : steps;
}
