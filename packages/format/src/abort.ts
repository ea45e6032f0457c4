// Waiting for abort signals, for every package: each signal has one listener, however many tasks wait for it.
export { onAbort } from "./abort/on-abort.ts";
export { unlessAborted } from "./abort/unless-aborted.ts";
