import type { Backend } from "@pt2/backend";
import { LocalBackend } from "./local-backend.ts";
import { ONE_THREAD, requireThreads, type Threads } from "./threads/thread-count.ts";
import type { FromWorker } from "./worker/protocol.ts";
import { WorkerBackend } from "./worker/worker-backend.ts";
import type { WorkerHandle } from "./worker/worker-channel.ts";

/** Options of `wasm`. */
export interface WasmOptions {
  /**
   * Whether to compute in a worker, so that the calling thread stays free.
   * @default true where workers exist
   */
  readonly worker?: boolean;
  /**
   * Threads that share the computation of one run; results have the same bytes for any number. They start with the first
   * model that has work for them, sleep between runs, and end with the backend.
   * @default the cores of the machine, 8 at most; 1 where threads cannot share memory: in a page that is not cross-origin
   * isolated, and on the thread of a page
   */
  readonly threads?: number;
}

/** The backend, whose random numbers have a seed. */
export type SeededBackend = Backend & Required<Pick<Backend, "manualSeed">>;

/** Makes the backend for browsers and other web-like runtimes. In Node use `@pt2/backend-wasm/node`. */
export function wasm(options: WasmOptions = {}): SeededBackend {
  const count = requireThreads(options, globalThis.navigator?.hardwareConcurrency ?? 1);
  const { worker = typeof Worker !== "undefined" } = options;
  const alone = (why: string): Threads => ({ ...ONE_THREAD, why: count === 1 ? null : why });
  const local = alone("the thread of a page may not wait for others, leave out `worker: false`");
  if (!worker) return new LocalBackend(local);
  // The worker starts helpers of its own.
  const why = globalThis.crossOriginIsolated
    ? // WebKitGTK has none in pages that are isolated, either.
      typeof SharedArrayBuffer === "undefined" && "this browser has no SharedArrayBuffer"
    : "threads share memory only in a page that is cross-origin isolated";
  const shared = why ? alone(why) : { ...ONE_THREAD, count };
  return new WorkerBackend(startWorker, shared, local);
}

function startWorker(): WorkerHandle {
  // Bundlers recognize this expression and bundle the worker.
  const thread = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  return {
    post: (message, transfer) => thread.postMessage(message, [...transfer]),
    listen(receive, failed) {
      thread.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => receive(data));
      thread.addEventListener("error", (event) =>
        failed(event.error ?? new Error(event.message ?? "its script could not be loaded")),
      );
      thread.addEventListener("messageerror", failed);
    },
    reads: "blob",
    hold() {},
    async terminate() {
      thread.terminate();
    },
  };
}

export type { Clamp } from "./engine/clamp.ts";
export type { HeapArrays } from "./engine/heap.ts";
export {
  type KernelCall,
  type PlanContext,
  type TypedWasmKernel,
  type WasmKernel,
  wasmKernel,
} from "./engine/kernel.ts";
export {
  type ModuleCall,
  type ModuleCalls,
  type ModuleKernel,
  moduleKernel,
  type Temporary,
  type TypedModuleKernel,
} from "./engine/module-kernel.ts";
export { addressOf, type TensorView } from "./engine/tensor-view.ts";
export { WASM_ERRORS, type WasmErrorCode } from "./wasm-errors.ts";
