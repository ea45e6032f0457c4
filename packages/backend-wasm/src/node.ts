import { atenOnDemand, builtInRegistry } from "@pt2/registry/on-demand";
import type { SeededBackend, WasmOptions } from "./index.ts";
import { LocalBackend } from "./local-backend.ts";
import { isOwnThread, startThread } from "./worker/node-thread.ts";
import { WorkerBackend } from "./worker/worker-backend.ts";

// An import of a backend is followed by a load, so the ops that every model needs start to load now. The load reports a
// failure.
builtInRegistry(atenOnDemand)
  .load(["aten::add.Tensor"])
  .catch(() => {});

/** Makes the backend for Node, which computes in a worker thread by default. */
export function wasm({ worker = true }: WasmOptions = {}): SeededBackend {
  return worker && !isOwnThread() ? new WorkerBackend(startThread) : new LocalBackend();
}
