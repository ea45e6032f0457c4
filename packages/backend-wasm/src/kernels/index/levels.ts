/** A loop: how often it runs, and how far it moves each time. `at` are positions in a table of rows. */
export interface Level {
  readonly count: number;
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** A loop that is none. */
export const ONCE: Level = { count: 1, from: 0, to: 0, at: 0 };

/** Strides of what is read, of what is written and of the rows, by dimension; 0 where one is absent. */
export type Strides = Readonly<Record<"from" | "to" | "at", readonly number[]>>;

/** The loops over a shape, in row-major order, as few as there can be; the last one is over neighbors of one row. */
export function levelsOf(shape: readonly number[], strides: Strides): readonly Level[] {
  const levels: Level[] = [];
  for (const [d, count] of shape.entries()) {
    if (count === 1) continue;
    const level = { count, from: strides.from[d] ?? 0, to: strides.to[d] ?? 0, at: strides.at[d] ?? 0 };
    const outer = levels.at(-1);
    const joins = outer && (["from", "to", "at"] as const).every((key) => outer[key] === count * level[key]);
    if (joins) levels[levels.length - 1] = { ...level, count: outer.count * count };
    else levels.push(level);
  }
  const last = levels.at(-1);
  const isRun = last?.from === 1 && last.to === 1 && last.at === 0;
  return isRun ? levels : [...levels, { count: 1, from: 1, to: 1, at: 0 }];
}

/** Calls `visit` where each run of the loops down to the last `kept` begins, in row-major order. */
export function eachStart(
  levels: readonly Level[],
  kept: number,
  visit: (from: number, to: number, at: number) => void,
): void {
  const go = (depth: number, from: number, to: number, at: number): void => {
    if (depth + kept === levels.length) {
      visit(from, to, at);
      return;
    }
    const level = levels[depth]!;
    for (let i = 0; i < level.count; i++) {
      go(depth + 1, from + i * level.from, to + i * level.to, at + i * level.at);
    }
  };
  go(0, 0, 0, 0);
}
