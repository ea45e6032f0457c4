// The entry of the web worker, and of its helpers: a worker starts those with its own script. What they do is in a script
// that is loaded from here, so that bundlers put nothing in this one that others import: WebKit evaluates the entry of a
// worker a second time when another script imports it, with a state of its own.

import type { HelperHandle } from "./threads/helper-messages.ts";
import type { WorkerScope } from "./worker-main.ts";

/** The name of a helper, by which its script recognizes what it is. */
const HELPER = "@pt2/backend-wasm helper";
/** Set in the scope once this script was evaluated. */
const EVALUATED = Symbol.for("@pt2/backend-wasm worker");

const scope = globalThis as unknown as WorkerScope & { [EVALUATED]?: true };

if (!scope[EVALUATED]) {
  scope[EVALUATED] = true;
  // What is posted meanwhile is kept: no one would receive it later.
  const early: unknown[] = [];
  let receive = (message: unknown): void => void early.push(message);
  scope.addEventListener("message", ({ data }) => receive(data));
  import("./worker-main.ts")
    .then(({ start }) =>
      start(scope, {
        isHelper: scope.name === HELPER,
        startHelper,
        listen(listener) {
          receive = listener as (message: unknown) => void;
          for (const message of early.splice(0)) receive(message);
        },
      }),
    )
    .catch(fail);
  // Node ends a thread for these. A browser tells no other thread, and a page would wait forever for what is not answered.
  scope.addEventListener("unhandledrejection", ({ reason }) => fail(reason));
  scope.addEventListener("messageerror", () => fail(new Error("a message to the worker could not be read")));
}

/** Makes an error event of the worker, as if this script had failed. */
function fail(error: unknown): void {
  setTimeout(() => {
    throw error;
  });
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
