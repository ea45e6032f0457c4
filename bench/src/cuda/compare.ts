import { fileURLToPath } from "node:url";
import { type Summary, summarize } from "../statistics.ts";
import { SubjectProcess, scriptCommand } from "../subject-process.ts";

export const BATCHES = [1, 32] as const;
/** Ways to run a model: ours, and PyTorch's. */
export const OURS = ["exact", "fast", "graphs"] as const;
export const THEIRS = ["eager", "compiled"] as const;

/** What each way takes for one model and batch. */
export interface Comparison {
  readonly name: string;
  readonly batch: number;
  readonly ours: Readonly<Record<(typeof OURS)[number], Summary>>;
  readonly theirs: Readonly<Record<(typeof THEIRS)[number], Summary>>;
  /** The largest error of an element against PyTorch in float32, as a fraction of the largest element. */
  readonly errors: { readonly ours: Readonly<Record<string, number>>; readonly eager: number };
}

/** The processes of a model. PyTorch's writes the files that ours reads. */
export class ModelProcesses {
  readonly name: string;
  readonly #theirs: SubjectProcess<Readonly<Record<string, number>>>;
  #ours: SubjectProcess<Readonly<Record<string, number>>> | undefined;

  constructor(name: string, folder: string, python: string) {
    this.name = name;
    const script = fileURLToPath(new URL("subject.py", import.meta.url));
    this.#theirs = new SubjectProcess([python, script, folder, name]);
    this.ready = this.#begin(folder);
  }

  readonly ready: Promise<{
    readonly ours: Readonly<Record<string, number>>;
    readonly eager: Readonly<Record<string, number>>;
  }>;

  async #begin(folder: string) {
    const eager = await this.#theirs.ready;
    this.#ours = new SubjectProcess(scriptCommand(new URL("subject.ts", import.meta.url), [folder, this.name]));
    const [ours] = await Promise.all([this.#ours.ready, this.#theirs.line()]);
    return { ours, eager };
  }

  /** Measures every way in turn, `rounds` times. */
  async compare(rounds: number): Promise<readonly Comparison[]> {
    const { ours, eager } = await this.ready;
    const results: Comparison[] = [];
    for (const batch of BATCHES) {
      const times = new Map<string, number[]>();
      for (let round = 0; round < rounds; round++) {
        const ways = [
          ...OURS.map((kind) => ["ours", kind] as const),
          ...THEIRS.map((kind) => ["theirs", kind] as const),
        ];
        for (const [side, kind] of round % 2 === 0 ? ways : ways.toReversed()) {
          const subject = side === "ours" ? this.#ours! : this.#theirs;
          const key = `${side} ${kind}`;
          times.set(key, [...(times.get(key) ?? []), await subject.run(`${kind} ${batch}`)]);
        }
      }
      const of = <K extends string>(side: string, kinds: readonly K[]): Readonly<Record<K, Summary>> =>
        Object.fromEntries(kinds.map((kind) => [kind, summarize(times.get(`${side} ${kind}`)!)])) as Record<K, Summary>;
      const own = Object.fromEntries(OURS.map((kind) => [kind, ours[`${kind} ${batch}`]!]));
      results.push({
        name: this.name,
        batch,
        ours: of("ours", OURS),
        theirs: of("theirs", THEIRS),
        errors: { ours: own, eager: eager[String(batch)]! },
      });
    }
    return results;
  }

  close(): void {
    this.#ours?.close();
    this.#theirs.close();
  }
}
