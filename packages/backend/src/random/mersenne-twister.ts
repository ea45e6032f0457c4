const SIZE = 624;
const OFFSET = 397;

/** MT19937 (Matsumoto and Nishimura, 1998). A seed is an integer from 0 to 2^32 - 1. */
export class MersenneTwister {
  readonly #state = new Uint32Array(SIZE);
  #next = SIZE;

  constructor(seed: number) {
    const state = this.#state;
    state[0] = seed;
    for (let i = 1; i < SIZE; i++) state[i] = Math.imul(1812433253, state[i - 1]! ^ (state[i - 1]! >>> 30)) + i;
  }

  /** Returns the next 32 bits, as an integer from 0 on. */
  next(): number {
    if (this.#next === SIZE) this.#advance();
    let bits = this.#state[this.#next++]!;
    bits ^= bits >>> 11;
    bits ^= (bits << 7) & 0x9d2c5680;
    bits ^= (bits << 15) & 0xefc60000;
    return (bits ^ (bits >>> 18)) >>> 0;
  }

  #advance(): void {
    const state = this.#state;
    for (let i = 0; i < SIZE; i++) {
      const pair = (state[i]! & 0x80000000) | (state[(i + 1) % SIZE]! & 0x7fffffff);
      state[i] = state[(i + OFFSET) % SIZE]! ^ (pair >>> 1) ^ (pair & 1 ? 0x9908b0df : 0);
    }
    this.#next = 0;
  }
}
