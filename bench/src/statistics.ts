/** The summary of a series of measurements. */
export interface Summary {
  readonly median: number;
  /** Half of the distance between the quartiles, as a fraction of the median. */
  readonly spread: number;
  readonly min: number;
}

export function summarize(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b);
  const median = quantile(sorted, 0.5);
  const spread = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2 / median;
  return { median, spread, min: sorted[0] ?? Number.NaN };
}

/** Returns the middle of some measurements. */
export function median(values: readonly number[]): number {
  return summarize(values).median;
}

/** Returns the mean of ratios. */
export function geometricMean(ratios: readonly number[]): number {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}

/** Formats how far measurements spread: `±3 %`. */
export function plusMinus({ spread }: Summary): string {
  return `±${(spread * 100).toFixed(0)} %`;
}

function quantile(sorted: readonly number[], q: number): number {
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** Subjects of a comparison, each measured once a round. */
export type Subjects<Name extends string> = Readonly<Record<Name, () => Promise<unknown>>>;

/**
 * Milliseconds of rest before a run on several threads. Those of a pool look for work for a while when theirs is done,
 * onnxruntime's for 47 ms, and would take a processor from the next subject.
 */
export const REST_MS = 80;

/** How long a comparison warms up and measures. */
export interface Effort {
  readonly warmupMs: number;
  readonly measureMs: number;
  readonly leastRounds: number;
  /** The least number of rounds of the warm-up. @default 3 */
  readonly leastWarmup?: number;
  /** Before each measured run, so that threads of the subject before stop looking for work. @default 0 */
  readonly pauseMs?: number;
}

/** Returns what a run takes, in milliseconds of `clock`. */
export function timed(run: () => Promise<unknown>, clock = (): number => performance.now()): () => Promise<number> {
  return async () => {
    const start = clock();
    await run();
    return clock() - start;
  };
}

/** Measures each subject in turn, as {@link alternateTimes} does, by `clock`. */
export async function alternate<Name extends string>(
  subjects: Subjects<Name>,
  effort: Effort,
  clock?: () => number,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const names = Object.keys(subjects) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, timed(subjects[name], clock)]));
  return await alternateTimes(times as Record<Name, () => Promise<number>>, effort);
}

/**
 * Measures subjects that tell the milliseconds of a run in turn, so that all see the same state of the machine. The order
 * is reversed from round to round, so that no subject always runs after the same one.
 */
export async function alternateTimes<Name extends string>(
  subjects: Readonly<Record<Name, () => Promise<number>>>,
  { warmupMs, measureMs, leastRounds, leastWarmup = 3, pauseMs = 0 }: Effort,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const names = Object.keys(subjects) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  const rounds = async (ms: number, least: number, keep: boolean): Promise<void> => {
    const end = performance.now() + ms;
    for (let round = 0; round < least || performance.now() < end; round++) {
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
        const time = await subjects[name]();
        if (keep) times[name].push(time);
      }
    }
  };
  await rounds(warmupMs, leastWarmup, false);
  await rounds(measureMs, leastRounds, true);
  return times;
}
