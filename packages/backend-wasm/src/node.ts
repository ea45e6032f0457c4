import type { Backend } from "@pt2/backend";
import { atenOnDemand, builtInRegistry } from "@pt2/registry/on-demand";
import type { WasmOptions } from "./index.ts";
import { LocalBackend } from "./local-backend.ts";
import { isOwnThread, startThread } from "./worker/node-thread.ts";
import { WorkerBackend } from "./worker/worker-backend.ts";

// An import of a backend is followed by a load: the ops that every model needs start to load before it.
// A failure is for the load to tell.
builtInRegistry(atenOnDemand)
  .load(["aten::add.Tensor"])
  .catch(() => {});

/** The backend for Node: computes in a worker thread unless told otherwise. */
export function wasm({ worker = true }: WasmOptions = {}): Backend {
  return worker && !isOwnThread() ? new WorkerBackend(startThread) : new LocalBackend();
}
