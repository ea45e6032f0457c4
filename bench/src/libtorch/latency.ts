import { setTimeout } from "node:timers/promises";
import { REST_MS, type Summary, summarize } from "../statistics.ts";
import { KINDS, type Kind, type Ready, Subject, type SubjectOptions } from "./child.ts";

/** One model at one number of threads. */
export interface Latency {
  readonly name: string;
  readonly threads: number;
  readonly ms: Readonly<Partial<Record<Kind, Summary>>>;
  /** The median over the rounds of the ratio of `fast` to another kind. */
  readonly ratios: Readonly<Partial<Record<Kind, Summary>>>;
  readonly ready: Readonly<Partial<Record<Kind, Ready>>>;
}

/** The amount of measurement. */
export interface LatencyOptions extends SubjectOptions {
  readonly kinds: readonly Kind[];
  readonly rounds: number;
}

/** Runs every kind once a round, with the order reversed from round to round. A kind that fails is left out. */
export async function measureLatency({ kinds, rounds, ...options }: LatencyOptions): Promise<Latency> {
  const subjects = new Map<Kind, Subject>();
  const ready: Partial<Record<Kind, Ready>> = {};
  try {
    for (const kind of kinds) {
      const subject = new Subject(kind, options);
      try {
        ready[kind] = await subject.ready;
        subjects.set(kind, subject);
      } catch (problem) {
        subject.close();
        console.error(`${options.name} ${kind}: ${(problem as Error).message}`);
      }
      const error = ready[kind]?.error ?? 0;
      if (!(error <= 1)) throw new Error(`${options.name}: ${kind} differs from PyTorch, ${error} of the tolerance`);
    }
    const times = await rounded(subjects, rounds);
    const ms = Object.fromEntries([...times].map(([kind, values]) => [kind, summarize(values)]));
    const fast = times.get("fast");
    const ratios = Object.fromEntries(
      fast ? [...times].map(([kind, values]) => [kind, summarize(values.map((value, i) => fast[i]! / value))]) : [],
    );
    return { name: options.name, threads: options.threads, ms, ratios, ready };
  } finally {
    for (const subject of subjects.values()) subject.close();
  }
}

async function rounded(
  subjects: ReadonlyMap<Kind, Subject>,
  rounds: number,
): Promise<ReadonlyMap<Kind, readonly number[]>> {
  const times = new Map<Kind, number[]>([...subjects.keys()].map((kind) => [kind, []]));
  for (let round = -3; round < rounds; round++) {
    const kinds = KINDS.filter((kind) => subjects.has(kind));
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      await setTimeout(REST_MS);
      const ms = await subjects.get(kind)!.run();
      if (round >= 0) times.get(kind)!.push(ms);
    }
  }
  return times;
}
