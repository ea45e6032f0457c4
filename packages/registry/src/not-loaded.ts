import { Pt2Error } from "@pt2/format";
import { registryError } from "./registry-errors.ts";

/**
 * Reports from inside a rule that code, or an answer of another thread, is missing, and how to load it. A rule is a
 * plain function and cannot wait. {@link loading} catches it while one node is lowered, which keeps no state; it is
 * thrown nowhere else, and never through a function of a user: {@link OpRegistry.load} loads everything that such
 * functions may need before they are called.
 */
export class NotLoaded extends Error {
  readonly #what: string;
  readonly #load: () => Promise<unknown>;

  /** After `load` the same lookup must succeed, or ask for something else. */
  constructor(what: string, load: () => Promise<unknown>) {
    super(`${what} is not loaded`);
    this.name = "NotLoaded";
    this.#what = what;
    this.#load = load;
  }

  /** Loads what is missing. Rejects with `registry.not-loaded` if that fails. */
  async load(): Promise<void> {
    await loadCode(this.#what, this.#load);
  }
}

/** Loads code for `what`. Rejects with `registry.not-loaded` if it cannot be reached. */
export async function loadCode<Module>(what: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    if (cause instanceof Pt2Error) throw cause;
    throw registryError("registry.not-loaded", {
      what: `The code for ${what} could not be loaded: ${cause instanceof Error ? cause.message : cause}`,
      advice: "Check that the application's own files can be reached and are all of one version, and load again.",
      cause,
    });
  }
}

/** The number of loads that one piece of work may cause, far more than any program needs. */
const MOST_PARTS = 1000;

/** Repeats `work`, loading what it needs, until it completes. It must keep no state. */
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

/** Returns a lookup of a module that is loaded on its first use; the work is then repeated (see {@link loading}). */
export function onDemand<Module>(what: string, load: () => Promise<Module>): () => Module {
  let module: Module | undefined;
  return () => {
    if (module !== undefined) return module;
    throw new NotLoaded(what, async () => {
      module = await load();
    });
  };
}
