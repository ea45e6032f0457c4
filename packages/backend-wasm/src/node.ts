import { availableParallelism } from "node:os";
import { atenOnDemand, builtInRegistry, FREQUENT_OPS } from "@pt2/registry/on-demand";
import type { SeededBackend, WasmOptions } from "./index.ts";
import { LocalBackend } from "./local-backend.ts";
import { requireThreads, type Threads } from "./threads/thread-count.ts";
import { isOwnThread, startHelper, startThread } from "./worker/node-thread.ts";
import { threadNumber } from "./worker/processors-node.ts";
import { WorkerBackend } from "./worker/worker-backend.ts";

// An import of a backend is followed by a load, so the ops that nearly every model needs start to load now. The load reports
// a failure.
builtInRegistry(atenOnDemand)
  .load(FREQUENT_OPS)
  .catch(() => {});

/** Makes the backend for Node, which computes in a worker thread by default. */
export function wasm(options: WasmOptions = {}): SeededBackend {
  const count = requireThreads(options, availableParallelism());
  const { worker = true } = options;
  // Threads that this backend has started start none themselves.
  const own = isOwnThread();
  const team: Threads = { count: own ? 1 : count, why: null, start: startHelper, caller: threadNumber() };
  return worker && !own ? new WorkerBackend(startThread, team) : new LocalBackend(team);
}
