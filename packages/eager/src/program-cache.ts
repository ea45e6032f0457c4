import type { Executable, Value } from "@pt2/backend";
import { LruCache } from "@pt2/format";

/** A compiled program. */
interface Entry {
  readonly executable: Promise<Executable>;
  /** The number of runs that were started and have not ended. */
  runs: number;
  dropped: boolean;
}

/** Compiled programs by key, of which the ones used last are kept; the others are disposed after their last run. */
export class ProgramCache {
  readonly #entries: LruCache<string, Entry>;
  #closed = false;

  constructor(most: number) {
    this.#entries = new LruCache<string, Entry>(most, (entry) => {
      entry.dropped = true;
      disposeUnused(entry);
    });
  }

  /** Runs the program of a key, which `compile` makes if it is not here. */
  async run(
    key: string,
    compile: () => Promise<Executable>,
    inputs: () => Promise<readonly Value[]>,
  ): Promise<readonly Value[]> {
    const entry = this.#entries.get(key, () => {
      const executable = compile();
      executable.catch(() => this.#entries.forget(key));
      return { executable, runs: 0, dropped: false };
    });
    entry.runs++;
    try {
      const [executable, given] = await Promise.all([entry.executable, inputs()]);
      return await executable.run(given);
    } finally {
      entry.runs--;
      disposeUnused(entry);
      // Programs that were compiled after the end are not kept.
      if (this.#closed) this.#entries.clear();
    }
  }

  /** Disposes the programs that are here; what is still to run is disposed after its run. */
  close(): void {
    this.#closed = true;
    this.#entries.clear();
  }
}

function disposeUnused({ executable, runs, dropped }: Entry): void {
  if (!dropped || runs > 0) return;
  // A program that did not compile has nothing to dispose.
  executable.then((made) => made.dispose()).catch(() => {});
}
