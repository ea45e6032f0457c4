/**
 * Thrown by what is asked for something that loads on demand and is not there yet: by `resolve` of a registry, by rules
 * of ops. It is no failure; {@link loading} answers it.
 */
export class NotLoaded extends Error {
  /** Loads what was asked for. */
  readonly load: () => Promise<unknown>;

  constructor(what: string, load: () => Promise<unknown>) {
    super(`${what} is not loaded; run what needs it within loading() of @pt2/registry/on-demand`);
    this.name = "NotLoaded";
    this.load = load;
  }
}

/** Runs `work` again and again until everything that it turned out to need is loaded. It must be able to start over. */
export async function loading<T>(work: (again: boolean) => T): Promise<Awaited<T>> {
  for (let again = false; ; again = true) {
    try {
      return await work(again);
    } catch (error) {
      if (!(error instanceof NotLoaded)) throw error;
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
