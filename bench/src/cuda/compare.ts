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

/** The errors of ways, by kind and batch. */
type Errors = Readonly<Record<string, number>>;

/** Every way, with the side that runs it. */
const WAYS = [...OURS.map((kind) => ["ours", kind] as const), ...THEIRS.map((kind) => ["theirs", kind] as const)];

/** The processes of a model. PyTorch's writes the files that ours reads. */
export class ModelProcesses {
  readonly name: string;
  /** Resolves when both have compiled and loaded the model. */
  readonly ready: Promise<{ readonly ours: Errors; readonly eager: Errors }>;
  readonly #theirs: SubjectProcess<Errors>;
  #ours: SubjectProcess<Errors> | undefined;

  /** `threads`: those of the processor that PyTorch exports and compiles with. */
  constructor(
    name: string,
    folder: string,
    { python, threads }: { readonly python: string; readonly threads: number },
  ) {
    this.name = name;
    const script = fileURLToPath(new URL("subject.py", import.meta.url));
    this.#theirs = new SubjectProcess([python, script, folder, name], {
      OMP_NUM_THREADS: `${threads}`,
      TORCHINDUCTOR_COMPILE_THREADS: `${threads}`,
    });
    this.ready = this.#begin(folder);
  }

  /** Measures every way in turn, `rounds` times. */
  async compare(rounds: number): Promise<readonly Comparison[]> {
    const results: Comparison[] = [];
    for (const batch of BATCHES) results.push(await this.#compareBatch(batch, rounds));
    return results;
  }

  close(): void {
    this.#ours?.close();
    this.#theirs.close();
  }

  async #begin(folder: string): Promise<{ readonly ours: Errors; readonly eager: Errors }> {
    const eager = await this.#theirs.ready;
    this.#ours = new SubjectProcess(scriptCommand(new URL("subject.ts", import.meta.url), [folder, this.name]));
    const [ours] = await Promise.all([this.#ours.ready, this.#theirs.line()]);
    return { ours, eager };
  }

  async #compareBatch(batch: number, rounds: number): Promise<Comparison> {
    const errors = await this.ready;
    const times = { ours: new Map<string, number[]>(), theirs: new Map<string, number[]>() };
    for (let round = 0; round < rounds; round++) {
      for (const [side, kind] of round % 2 === 0 ? WAYS : WAYS.toReversed()) {
        const subject = side === "ours" ? this.#ours! : this.#theirs;
        const before = times[side].get(kind) ?? [];
        times[side].set(kind, [...before, await subject.run(`${kind} ${batch}`)]);
      }
    }
    const ours = Object.fromEntries(OURS.map((kind) => [kind, errors.ours[`${kind} ${batch}`]!]));
    return {
      name: this.name,
      batch,
      ours: summarized(OURS, times.ours),
      theirs: summarized(THEIRS, times.theirs),
      errors: { ours, eager: errors.eager[`${batch}`]! },
    };
  }
}

function summarized<Kind extends string>(
  kinds: readonly Kind[],
  times: ReadonlyMap<string, readonly number[]>,
): Readonly<Record<Kind, Summary>> {
  return Object.fromEntries(kinds.map((kind) => [kind, summarize(times.get(kind)!)])) as Record<Kind, Summary>;
}
