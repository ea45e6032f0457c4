import type { MemoryReport, Model, Profile, Value } from "@pt2/runtime";
import { meanProfile } from "./mean-profile.ts";

/** What a run gave, and what it took. */
export interface Measured {
  readonly outputs: readonly Value[];
  /** The first run, which also makes the plan for these shapes. */
  readonly firstMs: number;
  /** Mean of the runs after it, as clocks of pages are too coarse for one; null where there was none. */
  readonly meanMs: number | null;
  /** Runs that `meanMs` is the mean of. */
  readonly repeats: number;
  readonly profile: Profile;
  readonly memory: MemoryReport;
  /** The description of the compiled program. */
  readonly explanation: string;
}

/** Time that is spent on repeating short runs, and how often at most. */
const BUDGET_MS = 400;
const MOST_RUNS = 50;

/**
 * Runs a model and measures it. A program that keeps state is run once only: every further run would go on from where the
 * last one left it.
 */
export async function measure(
  model: Model,
  leaves: readonly unknown[],
  isStateful: boolean,
  signal: AbortSignal,
): Promise<Measured> {
  const timed = async <T>(run: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> => {
    const begin = performance.now();
    const value = await run();
    return { value, ms: performance.now() - begin };
  };
  if (isStateful) {
    const { value: profile, ms } = await timed(() => model.profile({ leaves }, { signal }));
    return { outputs: profile.outputs, firstMs: ms, meanMs: null, repeats: 0, profile, ...(await reportsOf(model)) };
  }
  const first = await timed(() => model.runFlat(leaves, { signal }));
  const repeated = await repeat(async () => release(await model.runFlat(leaves, { signal })));
  const profiles: Profile[] = [];
  await repeat(async () => {
    const profile = await model.profile({ leaves }, { signal });
    release(profile.outputs);
    profiles.push(profile);
  });
  return {
    ...{ outputs: first.value, firstMs: first.ms, meanMs: repeated.ms / repeated.count, repeats: repeated.count },
    profile: meanProfile(profiles),
    ...(await reportsOf(model)),
  };
}

/** At least once, and again as long as there is time. */
async function repeat(run: () => Promise<void>): Promise<{ readonly count: number; readonly ms: number }> {
  const begin = performance.now();
  let count = 0;
  let ms = 0;
  while (count === 0 || (count < MOST_RUNS && ms + ms / count < BUDGET_MS)) {
    await run();
    count++;
    ms = performance.now() - begin;
  }
  return { count, ms };
}

async function reportsOf(model: Model): Promise<Pick<Measured, "memory" | "explanation">> {
  return { memory: await model.memory(), explanation: await model.explain() };
}

/** Disposes outputs that are no longer shown. */
export function release(values: readonly Value[]): void {
  for (const value of values) if (typeof value === "object") value?.dispose();
}
