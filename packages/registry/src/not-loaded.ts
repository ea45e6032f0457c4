import { Pt2Error } from "@pt2/format";
import { registryError } from "./registry-errors.ts";

/**
 * Says that code, or an answer of another thread, is not there yet, and how to get it. It is thrown only in work that
 * computes and keeps nothing, and never leaves this project: while one node is emitted, or one stage is planned,
 * {@link loading} answers it. No function of a user is on the way: {@link OpRegistry.load} brings all that such
 * functions may ask for before they are called.
 */
export class NotLoaded extends Error {
  readonly #what: string;
  readonly #load: () => Promise<unknown>;

  /** `load` must make that the same question is answered afterwards, or another one asked. */
  constructor(what: string, load: () => Promise<unknown>) {
    super(`${what} is not loaded`);
    this.name = "NotLoaded";
    this.#what = what;
    this.#load = load;
  }

  /** Loads what was asked for. Rejects with `registry.not-loaded` when it cannot be had. */
  async load(): Promise<void> {
    try {
      await this.#load();
    } catch (cause) {
      if (cause instanceof Pt2Error) throw cause;
      throw registryError("registry.not-loaded", {
        what: `The code for ${this.#what} could not be loaded: ${cause instanceof Error ? cause.message : cause}`,
        advice: "See that the application's own files can be reached, all of one version, and load again.",
        cause,
      });
    }
  }
}

/** Parts that one piece of work may turn out to need. No program comes near it. */
const MOST_PARTS = 1000;

/** What `work` gives once everything that it turned out to need is there. It computes, keeps nothing, and may run again. */
export async function loading<T>(work: () => T): Promise<Awaited<T>> {
  for (let parts = 0; ; parts++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NotLoaded) || parts === MOST_PARTS) throw error;
      await error.load();
    }
  }
}

/** A module that loads when it is first asked for. */
export function onDemand<Module>(what: string, load: () => Promise<Module>): () => Module {
  let module: Module | undefined;
  return () => {
    if (module !== undefined) return module;
    throw new NotLoaded(what, async () => {
      module = await load();
    });
  };
}
