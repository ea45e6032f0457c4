import type { Cancellation, CompileRequest } from "@pt2/backend";
import type { RandomState } from "@pt2/engine";
import type { Pool } from "../threads/pool.ts";

/** A compile request on the engine's own thread, where a worker's caller cancels through a flag instead of a signal. */
export interface LocalRequest extends CompileRequest {
  readonly cancellation?: Cancellation | undefined;
}

/** A compile request with what the backend's executables share. */
export interface EngineRequest extends LocalRequest {
  readonly random: RandomState;
  /** The threads that share the work; null for the engine's own thread alone. */
  readonly pool: Pool | null;
  /** Says how many threads compute. */
  readonly explainThreads: () => string;
}
