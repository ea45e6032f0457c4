import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import type { SampleResult } from "./op-samples.ts";

/** The settings of a walk over samples. */
export interface WalkHeader {
  readonly dialect: string;
  readonly backend: string;
  readonly precision: string;
  readonly bits: boolean;
  /** Versions and machine. */
  readonly environment: string;
}

/** The samples of one op and dtype. */
export interface WalkEntry {
  readonly name: string;
  readonly op: string;
  readonly dtype: string;
  /** The results; null when the process ended while the samples ran. */
  readonly results: readonly SampleResult[] | null;
}

/** A walk over samples: its settings and results. */
export interface Walk {
  readonly header: WalkHeader;
  readonly entries: readonly WalkEntry[];
}

/**
 * A file of lines that a walk writes as it goes: its header, and two lines for each entry, before and after it. A walk
 * whose process ended continues after the entry that ended it.
 */
export class WalkLog {
  readonly #file: string;

  constructor(file: string, header: WalkHeader) {
    this.#file = file;
    if (!existsSync(file)) writeFileSync(file, `${JSON.stringify(header)}\n`);
  }

  /** Replaces the entry of the same name. */
  write(entry: WalkEntry): void {
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }
}

/** Reads what a {@link WalkLog} wrote. */
export function readWalk(file: string): Walk {
  const [header, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  const entries = lines.map((line) => JSON.parse(line) as WalkEntry);
  const last = new Map(entries.map((entry) => [entry.name, entry]));
  return { header: JSON.parse(header!) as WalkHeader, entries: [...last.values()] };
}

/** Returns the samples of an entry that failed. */
export function badResults({ results }: WalkEntry): readonly SampleResult[] {
  if (results === null) return [{ outcome: "failed", why: "the process ended" }];
  return results.filter(({ outcome }) => outcome === "failed" || outcome === "unsupported");
}
