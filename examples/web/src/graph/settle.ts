/** Something that wants to be at a place, but must keep its distance from its neighbors in the row. */
export interface Wish {
  /** Where its center would like to be. */
  readonly at: number;
  /** How much it insists. */
  readonly weight: number;
  readonly width: number;
}

/**
 * Centers for the members of a row, in their order and `gap` apart, that miss the wishes as little as possible (weighted
 * least squares, by pooling neighbors that would overlap).
 */
export function settle(wishes: readonly Wish[], gap: number): readonly number[] {
  // Without the distances that all before it need, a member only has to stay right of its neighbor.
  const offsets: number[] = [];
  wishes.forEach(({ width }, i) => {
    offsets.push(i === 0 ? 0 : offsets[i - 1]! + (wishes[i - 1]!.width + width) / 2 + gap);
  });
  const pools: { at: number; weight: number; count: number }[] = [];
  wishes.forEach(({ at, weight }, i) => {
    let pool = { at: at - offsets[i]!, weight, count: 1 };
    for (let last = pools.at(-1); last !== undefined && last.at > pool.at; last = pools.at(-1)) {
      pools.pop();
      const sum = last.weight + pool.weight;
      const center = (last.at * last.weight + pool.at * pool.weight) / sum;
      pool = { at: center, weight: sum, count: last.count + pool.count };
    }
    pools.push(pool);
  });
  const places = pools.flatMap(({ at, count }) => new Array<number>(count).fill(at));
  return places.map((place, i) => place + offsets[i]!);
}
