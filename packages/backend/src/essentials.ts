// What callers of backends need, and a backend before its engine is there. Bundlers load files whole: the rest of the
// package, for backends that plan, is not to come along into a page that has no model yet.

export { onAbort, unlessAborted } from "@pt2/format/abort";
export { BACKEND_ERRORS, type BackendErrorCode, backendError } from "./backend-errors.ts";
export { BACKEND_API_VERSION } from "./contract.ts";
export { expectStorages } from "./expect-storages.ts";
export { RunQueue } from "./run-queue.ts";
export { hostTensor, numel, requireType, viewAs } from "./tensor.ts";
