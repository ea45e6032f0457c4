import type { OpName } from "@pt2/graph";
import type { ArgValue } from "../tensor-meta.ts";

/** The backend that a program is lowered for. */
export interface LowerTarget {
  /** The name of the backend, for messages. */
  readonly name: string;
  /**
   * Returns whether the backend runs this op itself. It is not called for elementwise ops and views, which every
   * backend runs.
   */
  isNative(op: OpName, args: Readonly<Record<string, ArgValue>>): boolean | null;
  /**
   * Loads the code without which `isNative` cannot decide about an op, and answers null; it is asked again then. Absent
   * if it always can.
   */
  loadKernels?(op: OpName): Promise<void>;
  /**
   * The largest size of one tensor in bytes; larger tensors are refused before anything is allocated. Default: no
   * limit.
   */
  readonly maxTensorBytes?: number;
}
