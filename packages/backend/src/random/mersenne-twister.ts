const SIZE = 624;
const OFFSET = 397;

/** MT19937 (Matsumoto and Nishimura, 1998). A seed is an integer from 0 to 2^32 - 1. */
export class MersenneTwister {
  readonly state: Int32Array = new Int32Array(SIZE);
  /** The numbers of the state, which are made in one go: `next` then only reads, and is inlined where many are drawn. */
  readonly #numbers = new Uint32Array(SIZE);
  /** How many of them have been read. */
  used: number = SIZE;

  constructor(seed: number) {
    const state = this.state;
    state[0] = seed;
    for (let i = 1; i < SIZE; i++) state[i] = Math.imul(1812433253, state[i - 1]! ^ (state[i - 1]! >>> 30)) + i;
  }

  /** Returns the next 32 bits, as an integer from 0 on. */
  next(): number {
    if (this.used === SIZE) this.#advance();
    return this.#numbers[this.used++]!;
  }

  #advance(): void {
    const [state, numbers] = [this.state, this.#numbers];
    let current = state[0]!;
    for (let i = 0; i < SIZE; i++) {
      const following = state[i + 1 < SIZE ? i + 1 : 0]!;
      const pair = (current & 0x80000000) | (following & 0x7fffffff);
      const far = state[i < SIZE - OFFSET ? i + OFFSET : i + OFFSET - SIZE]!;
      let bits = far ^ (pair >>> 1) ^ (-(pair & 1) & 0x9908b0df);
      state[i] = bits;
      bits ^= bits >>> 11;
      bits ^= (bits << 7) & 0x9d2c5680;
      bits ^= (bits << 15) & 0xefc60000;
      numbers[i] = bits ^ (bits >>> 18);
      current = following;
    }
    this.used = 0;
  }
}
