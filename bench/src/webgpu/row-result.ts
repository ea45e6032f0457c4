import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Summary, summarize } from "../statistics.ts";
import type { Kind } from "./subject.ts";

/** The times of one runtime for one row. */
export interface SubjectResult {
  /** The milliseconds from the files to the first result, with the compilation of shaders. */
  readonly first: number;
  /** The worst error against PyTorch as a fraction of the tolerance. */
  readonly error: number;
  /** The milliseconds of each round; none if the result is wrong. */
  readonly times: readonly number[];
  /** The milliseconds of processor time of each round, on all threads. */
  readonly processor: readonly number[];
}

/** The results of one row's process. */
export interface RowResult {
  readonly row: string;
  readonly subjects: Partial<Record<Kind, SubjectResult>>;
  /** The dispatches of a forward of this project. */
  readonly dispatches: number | null;
}

/** The options of a measurement. */
export interface RowOptions {
  readonly models: string;
  readonly kinds: readonly Kind[];
  readonly ms: number;
  readonly rounds: number;
}

/** Measures a row in a process of its own, so that no runtime finds what an earlier row left behind. */
export async function measureRow(row: string, { models, kinds, ms, rounds }: RowOptions): Promise<RowResult> {
  const script = fileURLToPath(new URL("measure-row.ts", import.meta.url));
  const args = [...process.execArgv, script, models, row, kinds.join(), String(ms), String(rounds)];
  // Mesa keeps compiled shaders on disk, but a first run must compile them.
  const env = { ...process.env, MESA_SHADER_CACHE_DISABLE: "true" };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 2 ** 26 });
  return JSON.parse(stdout.trim().split("\n").at(-1)!) as RowResult;
}

/** The fastest of the others by median, and the ratio of this project's time to its time. */
export interface Verdict {
  readonly best: Kind;
  /** The ratio over the rounds. */
  readonly ratio: Summary;
  /** The ratio of the least times. */
  readonly least: number;
  /** The ratio of the medians of processor time. */
  readonly processor: number;
}

/** Compares this project with the fastest other runtime in a row; null when no other was measured. */
export function judge({ subjects }: RowResult): Verdict | null {
  const { pt2, ...others } = subjects;
  const peers = (Object.entries(others) as [Exclude<Kind, "pt2">, SubjectResult][]).filter(
    ([, { times }]) => times.length > 0,
  );
  const [first] = peers.sort(([, a], [, b]) => summarize(a.times).median - summarize(b.times).median);
  if (pt2 === undefined || first === undefined) return null;
  const [best, peer] = first;
  return {
    best,
    ratio: summarize(pt2.times.map((time, round) => time / peer.times[round]!)),
    least: Math.min(...pt2.times) / Math.min(...peer.times),
    processor: summarize(pt2.processor).median / summarize(peer.processor).median,
  };
}
