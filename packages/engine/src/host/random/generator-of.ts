import { CpuGenerator } from "@pt2/backend";
import type { RandomState } from "../../plan/random-state.ts";

/** Returns the generator of a backend. One without a seed starts anywhere, as PyTorch's does. */
export function generatorOf(state: RandomState): CpuGenerator {
  state.generator ??= new CpuGenerator(state.seed ?? Math.floor(Math.random() * 2 ** 32));
  return state.generator;
}
