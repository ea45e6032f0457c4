import { type CpuGenerator, requireSeed, type Seed } from "@pt2/backend";

/**
 * What all executables of a backend draw random numbers from. It is small: the generator is made by the first kernel
 * that draws.
 */
export class RandomState {
  /** The seed of `manualSeed`; null before it was called. */
  seed: Seed | null = null;
  /** The generator once a kernel has drawn since the last seed. */
  generator: CpuGenerator | null = null;

  /** Starts the sequence of a seed. */
  manualSeed(seed: Seed): void {
    requireSeed(seed);
    this.seed = seed;
    this.generator = null;
  }
}
