import nodeModule from "node:module";
import { pathToFileURL } from "node:url";
import { Worker, workerData } from "node:worker_threads";
import type { HelperHandle, ToHelper } from "../threads/helper-messages.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";
import type { WorkerHandle } from "./worker-channel.ts";

/** Data given to the threads of this backend, by which code recognizes that it runs in one. */
const OWN_THREAD = "@pt2/backend-wasm";

/** What a helper is given as it starts. */
export interface HelperData {
  readonly thread: typeof OWN_THREAD;
  readonly board: SharedArrayBuffer;
  readonly helper: number;
}

/**
 * Whether this thread was started by the backend. Modules that `--import` or `--require` names run in every thread: one
 * that loads a model would start a thread in each thread that it starts.
 */
export function isOwnThread(): boolean {
  return workerData?.thread === OWN_THREAD;
}

/** Starts a thread that computes. */
export function startThread(): WorkerHandle {
  const thread = newThread("worker-node", { thread: OWN_THREAD });
  return {
    post: (message: ToWorker, transfer) => thread.postMessage(message, [...transfer]),
    listen(receive, failed) {
      thread.on("message", (message: FromWorker) => receive(message));
      thread.on("error", failed);
      thread.on("messageerror", failed);
      thread.on("exit", (code) => failed(new Error(`the worker exited with code ${code}`)));
    },
    // Node does not clone blobs that are backed by files.
    reads: "file",
    hold: (alive) => (alive ? thread.ref() : thread.unref()),
    async terminate() {
      await thread.terminate();
    },
  };
}

/** Starts a helper of this thread. */
export function startHelper(board: SharedArrayBuffer, helper: number, failed: (error: unknown) => void): HelperHandle {
  const thread = newThread("helper-node", { thread: OWN_THREAD, board, helper } satisfies HelperData);
  thread.unref();
  thread.on("error", failed);
  return {
    post: (message: ToHelper) => thread.postMessage(message),
    terminate: () => void thread.terminate(),
  };
}

/**
 * Starts a thread with a script of this package. It inherits the flags of this process as Node has parsed them: passed on
 * as `execArgv` they would be parsed again, and those that concern the whole process are refused there.
 */
function newThread(name: string, data: unknown): Worker {
  // Under `--input-type` a thread may not begin with a file, but with code that imports it.
  const script = scriptOf(name);
  const code = `import ${JSON.stringify(script)};`;
  const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  // Scripts of sources load a loader of their own; what is preloaded for this thread may need one that is not there yet.
  const sources = script.endsWith(".mjs") ? { execArgv: ["--conditions=dev"] } : {};
  return new Worker(url, { workerData: data, ...sources });
}

/**
 * Returns a thread's script, beside the entry point as Node finds it: this code may lie in a bundle, far from its
 * package. In the place of `createRequire(…).resolve(…)`, where that is imported by its name, webpack puts a number.
 */
function scriptOf(name: string): string {
  const entry = nodeModule.createRequire(import.meta.url).resolve("@pt2/backend-wasm/node");
  return new URL(entry.endsWith(".ts") ? `${name}.dev.mjs` : `${name}.js`, pathToFileURL(entry)).href;
}
