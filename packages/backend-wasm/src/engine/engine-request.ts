import type { CompileRequest } from "@pt2/backend";
import type { Cancellation } from "@pt2/engine";

/** A compile request on the engine's own thread, where a worker's caller cancels through a flag instead of a signal. */
export interface EngineRequest extends CompileRequest {
  readonly cancellation?: Cancellation | undefined;
}
