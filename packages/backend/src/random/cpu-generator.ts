import { MersenneTwister } from "./mersenne-twister.ts";
import { requireSeed, type Seed } from "./seed.ts";

/**
 * PyTorch's generator on the CPU: the same seed gives the same numbers, in the order in which they are drawn. Like
 * PyTorch's it uses the lowest 32 bits of a seed.
 */
export class CpuGenerator {
  /** MT19937: its state of 624 integers, how many of the numbers made of them have been read, and the next one. */
  readonly bits: { readonly state: Int32Array; readonly used: number; next(): number };
  /** The second number of the last pair of normal numbers. */
  #nextNormal: number | null = null;

  constructor(seed: Seed) {
    requireSeed(seed);
    this.bits = new MersenneTwister(Number(BigInt.asUintN(32, BigInt(seed))));
  }

  /** Draws 32 bits, as an integer from 0 on. */
  random(): number {
    return this.bits.next();
  }

  /** Draws 64 bits, as an integer from 0 on. */
  random64(): bigint {
    const high = BigInt(this.random());
    return (high << 32n) | BigInt(this.random());
  }

  /** Draws a number in [0, 1) with 53 random bits. */
  uniform(): number {
    const high = this.random() & 0x1fffff;
    return (high * 2 ** 32 + this.random()) / 2 ** 53;
  }

  /** Draws a number of the standard normal distribution in double precision: by Box and Muller, who make two at a time. */
  normal(): number {
    const kept = this.#nextNormal;
    this.#nextNormal = null;
    if (kept !== null) return kept;
    const angle = 2 * Math.PI * this.uniform();
    const radius = Math.sqrt(-2 * Math.log1p(-this.uniform()));
    this.#nextNormal = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }
}
