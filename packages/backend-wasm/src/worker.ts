// The entry of the web worker.

import type { FromWorker, ToWorker } from "./worker/protocol.ts";
import { serve } from "./worker/serve.ts";

/** The part of `DedicatedWorkerGlobalScope` that is used; its types and those of a page cannot be loaded together. */
interface WorkerScope {
  postMessage(message: unknown, transfer: Transferable[]): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
}

const scope = globalThis as unknown as WorkerScope;

serve(
  {
    post: (message: FromWorker, transfer: readonly ArrayBuffer[] = []) => scope.postMessage(message, [...transfer]),
    listen: (receive: (message: ToWorker) => void) =>
      scope.addEventListener("message", ({ data }) => receive(data as ToWorker)),
  },
  async (origin, into) => {
    if (origin.kind !== "blob") throw new Error(`a web worker cannot read ${origin.kind} origins`);
    const part = origin.blob.slice(origin.start, origin.start + into.byteLength);
    into.set(new Uint8Array(await part.arrayBuffer()));
  },
);
