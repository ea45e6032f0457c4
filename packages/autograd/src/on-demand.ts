import { NotLoaded } from "@pt2/registry/on-demand";

/** Returns a lookup of a module that is loaded on its first use; gradients are then taken from the beginning. */
export function onDemand<Module>(what: string, load: () => Promise<Module>): () => Module {
  let module: Module | undefined;
  return () => {
    if (module !== undefined) return module;
    throw new NotLoaded(what, async () => {
      module = await load();
    });
  };
}
