// What the web worker and its helpers do.

import { help } from "./threads/help.ts";
import type { StartHelper, ToHelper } from "./threads/helper-messages.ts";
import type { FromWorker, ToWorker } from "./worker/protocol.ts";
import { serve } from "./worker/serve.ts";

/** The part of `DedicatedWorkerGlobalScope` that is used; its types and those of a page cannot be loaded together. */
export interface WorkerScope {
  readonly name: string;
  readonly location: { readonly href: string };
  postMessage(message: unknown, transfer: Transferable[]): void;
  addEventListener(type: "message" | "messageerror", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "unhandledrejection", listener: (event: { readonly reason: unknown }) => void): void;
}

/** How a worker starts. */
export interface WorkerStart {
  readonly isHelper: boolean;
  readonly startHelper: StartHelper;
  listen(receive: (message: never) => void): void;
}

/** Makes this thread a worker, or a helper of one. */
export function start(scope: WorkerScope, { isHelper, startHelper, listen }: WorkerStart): void {
  if (isHelper) {
    let receive: ((message: ToHelper) => void) | null = null;
    listen((message: ToHelper | { readonly board: SharedArrayBuffer; readonly helper: number }) => {
      if ("board" in message) help(message.board, message.helper, (listener) => (receive = listener));
      else receive?.(message);
    });
    return;
  }
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
