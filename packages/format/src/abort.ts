// How work waits for a signal to abort, for every package: one listener for each signal, however many wait for it.
export { onAbort } from "./abort/on-abort.ts";
export { unlessAborted } from "./abort/unless-aborted.ts";
