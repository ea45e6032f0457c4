// The entry of the web worker, and of its helpers: a worker starts those with its own script.

import { help } from "./threads/help.ts";
import type { HelperHandle, ToHelper } from "./threads/helper-messages.ts";
import type { FromWorker, ToWorker } from "./worker/protocol.ts";
import { serve } from "./worker/serve.ts";

/** The part of `DedicatedWorkerGlobalScope` that is used; its types and those of a page cannot be loaded together. */
interface WorkerScope {
  readonly name: string;
  readonly location: { readonly href: string };
  postMessage(message: unknown, transfer: Transferable[]): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
}

/** The name of a helper, by which its script recognizes what it is. */
const HELPER = "@pt2/backend-wasm helper";

const scope = globalThis as unknown as WorkerScope;
const listen = (receive: (message: never) => void): void =>
  scope.addEventListener("message", ({ data }) => receive(data as never));

if (scope.name === HELPER) {
  let receive: ((message: ToHelper) => void) | null = null;
  listen((message: ToHelper | { readonly board: SharedArrayBuffer; readonly helper: number }) => {
    if ("board" in message) help(message.board, message.helper, (listener) => (receive = listener));
    else receive?.(message);
  });
} else {
  serve(
    {
      post: (message: FromWorker, transfer: readonly ArrayBuffer[] = []) => scope.postMessage(message, [...transfer]),
      listen: (receive: (message: ToWorker) => void) => listen(receive),
    },
    async (origin, into) => {
      if (origin.kind !== "blob") throw new Error(`a web worker cannot read ${origin.kind} origins`);
      const part = origin.blob.slice(origin.start, origin.start + into.byteLength);
      into.set(new Uint8Array(await part.arrayBuffer()));
    },
    { start: startHelper },
  );
}

function startHelper(board: SharedArrayBuffer, helper: number, failed: (error: unknown) => void): HelperHandle {
  const thread = new Worker(scope.location.href, { type: "module", name: HELPER });
  thread.addEventListener("error", (event) => {
    event.preventDefault();
    failed(event.error ?? event.message ?? "its script could not be loaded");
  });
  thread.postMessage({ board, helper });
  return {
    post: (message) => thread.postMessage(message),
    terminate: () => thread.terminate(),
  };
}
