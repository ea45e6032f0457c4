import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { Backend } from "@pt2/backend";
import { createRegistry } from "@pt2/registry";
import { atenOnDemand } from "@pt2/registry/on-demand";
import { WasmBackend } from "./backend.ts";
import type { WasmOptions } from "./index.ts";
import type { FromWorker, ToWorker } from "./worker/protocol.ts";
import { WorkerBackend } from "./worker/worker-backend.ts";
import type { WorkerHandle } from "./worker/worker-channel.ts";

// Whoever imports a backend is going to load a model: the ops that every model needs are on their way before it does.
// A failure is for the load to tell.
createRegistry({ sets: atenOnDemand })
  .load(["aten::add.Tensor"])
  .catch(() => {});

/** The backend for Node: computes in a worker thread unless told otherwise. */
export function wasm({ worker = true }: WasmOptions = {}): Backend {
  return worker ? new WorkerBackend(startWorker) : new WasmBackend();
}

/** How a script on the command line was to be read; a worker that inherits it cannot start from a file. */
const EVALUATION = /^--input-type\b/;

function startWorker(): WorkerHandle {
  const thread = new Worker(createRequire(import.meta.url).resolve("@pt2/backend-wasm/worker-node"), {
    execArgv: process.execArgv.filter((flag) => !EVALUATION.test(flag)),
  });
  return {
    post: (message: ToWorker, transfer) => thread.postMessage(message, [...transfer]),
    listen(receive, failed) {
      thread.on("message", (message: FromWorker) => receive(message));
      thread.on("error", failed);
      thread.on("messageerror", failed);
      thread.on("exit", (code) => failed(new Error(`the worker exited with code ${code}`)));
    },
    hold: (alive) => (alive ? thread.ref() : thread.unref()),
    async terminate() {
      await thread.terminate();
    },
  };
}
