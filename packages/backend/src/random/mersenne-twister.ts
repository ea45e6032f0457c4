/** Numbers are made in blocks of so many. */
const SIZE = 624;
const OFFSET = 397;

/** MT19937 (Matsumoto and Nishimura, 1998). A seed is an integer from 0 to 2^32 - 1. */
export class MersenneTwister {
  /** What each block of 624 numbers is made of: as integers with signs, which take less time. */
  readonly #state = new Int32Array(SIZE);
  /** The numbers of the state, which are made in one go: `next` then only reads, and is inlined where many are drawn. */
  readonly #numbers = new Uint32Array(SIZE);
  #next = SIZE;

  constructor(seed: number) {
    const state = this.#state;
    state[0] = seed;
    for (let i = 1; i < SIZE; i++) state[i] = Math.imul(1812433253, state[i - 1]! ^ (state[i - 1]! >>> 30)) + i;
  }

  /** Returns the next 32 bits, as an integer from 0 on. */
  next(): number {
    if (this.#next === SIZE) this.#advance();
    return this.#numbers[this.#next++]!;
  }

  /** Writes the next numbers: whole blocks, where there are some, by `blocks`. See `CpuGenerator`. */
  fill(words: Uint32Array, blocks?: (state: Int32Array, first: number, count: number) => void): void {
    for (let at = 0; at < words.length; ) {
      const whole = Math.floor((words.length - at) / SIZE);
      if (blocks !== undefined && this.#next === SIZE && whole > 0) {
        blocks(this.#state, at, whole);
        at += whole * SIZE;
        continue;
      }
      if (this.#next === SIZE) this.#advance();
      const count = Math.min(SIZE - this.#next, words.length - at);
      words.set(this.#numbers.subarray(this.#next, this.#next + count), at);
      [at, this.#next] = [at + count, this.#next + count];
    }
  }

  #advance(): void {
    const [state, numbers] = [this.#state, this.#numbers];
    twist(state, 0, SIZE - OFFSET, OFFSET);
    twist(state, SIZE - OFFSET, SIZE - 1, OFFSET - SIZE);
    state[SIZE - 1] = twisted(state[SIZE - 1]!, state[0]!, state[OFFSET - 1]!);
    for (let i = 0; i < SIZE; i++) {
      let bits = state[i]!;
      bits ^= bits >>> 11;
      bits ^= (bits << 7) & 0x9d2c5680;
      bits ^= (bits << 15) & 0xefc60000;
      numbers[i] = bits ^ (bits >>> 18);
    }
    this.#next = 0;
  }
}

/** Renews some integers of the state from the ones behind them, and those `far` from them. */
function twist(state: Int32Array, first: number, end: number, far: number): void {
  let current = state[first]!;
  for (let i = first; i < end; i++) {
    const following = state[i + 1]!;
    state[i] = twisted(current, following, state[i + far]!);
    current = following;
  }
}

function twisted(current: number, following: number, far: number): number {
  const pair = (current & 0x80000000) | (following & 0x7fffffff);
  return far ^ (pair >>> 1) ^ (-(pair & 1) & 0x9908b0df);
}
