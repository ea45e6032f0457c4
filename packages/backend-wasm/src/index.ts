import type { Backend } from "@pt2/backend";
import { LocalBackend } from "./local-backend.ts";
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
}

/** The backend, whose random numbers have a seed. */
export type SeededBackend = Backend & Required<Pick<Backend, "manualSeed">>;

/** Makes the backend for browsers and other web-like runtimes. In Node use `@pt2/backend-wasm/node`. */
export function wasm({ worker = typeof Worker !== "undefined" }: WasmOptions = {}): SeededBackend {
  return worker ? new WorkerBackend(startWorker) : new LocalBackend();
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
