import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker, workerData } from "node:worker_threads";
import type { FromWorker, ToWorker } from "./protocol.ts";
import type { WorkerHandle } from "./worker-channel.ts";

/** Data given to the threads of this backend, by which code recognizes that it runs in one. */
const OWN_THREAD = "@pt2/backend-wasm";

/**
 * Whether this thread was started by the backend. Modules that `--import` or `--require` names run in every thread: one
 * that loads a model would start a thread in each thread that it starts.
 */
export function isOwnThread(): boolean {
  return workerData === OWN_THREAD;
}

/**
 * Starts a thread that computes. It inherits the flags of this process as Node has parsed them: passed on as `execArgv`
 * they would be parsed again, and those that concern the whole process are refused there.
 */
export function startThread(): WorkerHandle {
  // Under `--input-type` a thread may not begin with a file, but with code that imports it.
  const code = `import ${JSON.stringify(scriptOf().href)};`;
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { workerData: OWN_THREAD });
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

/**
 * Returns the thread's script, beside the entry point as Node finds it: this code may lie in a bundle, far from its
 * package.
 */
function scriptOf(): URL {
  const entry = createRequire(import.meta.url).resolve("@pt2/backend-wasm/node");
  return new URL(entry.endsWith(".ts") ? "worker-node.dev.mjs" : "worker-node.js", pathToFileURL(entry));
}
