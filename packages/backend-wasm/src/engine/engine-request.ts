import type { Cancellation, CompileRequest } from "@pt2/backend";
import type { RandomState } from "@pt2/engine";

/** A compile request on the engine's own thread, where a worker's caller cancels through a flag instead of a signal. */
export interface LocalRequest extends CompileRequest {
  readonly cancellation?: Cancellation | undefined;
}

/** A compile request with what the backend's executables share. */
export interface EngineRequest extends LocalRequest {
  readonly random: RandomState;
}
