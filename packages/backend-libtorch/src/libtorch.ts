import { atenOnDemand, builtInRegistry, FREQUENT_OPS } from "@pt2/registry/on-demand";
import { LibtorchBackend } from "./backend.ts";
import { loadAddon } from "./install/load-addon.ts";
import { openKeptWeights } from "./kept/open-kept-weights.ts";
import { type LibtorchOptions, requireLibtorchOptions } from "./options.ts";

/**
 * The backend for Node servers: every ATen op at PyTorch's own speed. Finds libtorch, compiles the native module for it
 * unless that was done before, and loads it. Threads, flags and libraries are the whole process's.
 */
export async function libtorch(options: LibtorchOptions = {}): Promise<LibtorchBackend> {
  requireLibtorchOptions(options);
  // A backend is followed by a load, so the ops that nearly every model needs start to load now. The load reports a failure.
  builtInRegistry(atenOnDemand)
    .load(FREQUENT_OPS)
    .catch(() => {});
  const loaded = await loadAddon(options.folder === undefined ? {} : { folder: options.folder });
  return new LibtorchBackend(loaded.addon, options, await openKeptWeights(options.cache, loaded));
}
