import type { Backend, HostTensor } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { OpSet } from "@pt2/registry";
import type { Tolerances } from "../ops/run-case.ts";

/** The arguments of `checkOp`, beside the op and its samples. */
export interface CheckOpOptions {
  /** The backends that run the op; without a reference, the first one has the expected values. */
  readonly backends: readonly Backend[];
  /** The op sets that define the op, its kernels, and the ops that it calls. Default: one that has only the op. */
  readonly ops?: readonly OpSet[];
  /**
   * The dtypes that the op must accept. Default: every common dtype is tried, and those that the op refuses must be
   * refused everywhere.
   */
  readonly dtypes?: readonly DType[];
  /** What the op computes, as a function on host tensors. Default: its rules, in the reference interpreter. */
  readonly reference?: OpReference;
  /** Tolerances by dtype, in place of `DEFAULT_TOLERANCE`. */
  readonly tolerance?: Tolerances;
}

/** Computes the results of an op from the arguments of a sample. */
// biome-ignore lint/suspicious/noExplicitAny: a function says which arguments of the schema it takes
export type OpReference = (args: any) => HostTensor | readonly HostTensor[];
