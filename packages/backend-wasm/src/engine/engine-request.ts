import type { Cancellation, CompileRequest } from "@pt2/backend";

/** A compile request on the engine's own thread, where a worker's caller cancels through a flag instead of a signal. */
export interface EngineRequest extends CompileRequest {
  readonly cancellation?: Cancellation | undefined;
}
