import type { HostTensor } from "@pt2/backend";
import type { WeightTensor } from "@pt2/format";
import type { OpHandler, OpSet } from "@pt2/registry";

/** A program with ops that a user defines, and PyTorch's results with the same ops. */
export interface UserOpsCase {
  readonly name: string;
  /** The program in text form. */
  readonly program: string;
  /** The op sets in addition to `aten`. `kernel` is a kernel of the backend for `mine::twice`. */
  readonly sets?: readonly OpSet[] | ((kernel: unknown) => readonly OpSet[]);
  /** Handlers with functions: the case is for backends that support them. */
  readonly handlers?: readonly OpHandler[];
  readonly weights?: readonly WeightTensor[];
  /** The runs, one after the other. */
  readonly runs?: readonly { readonly inputs: readonly HostTensor[]; readonly outputs: readonly HostTensor[] }[];
  /**
   * The coded error that compiling the program, or its first run, must end in: its code, and a pattern of its message.
   */
  readonly refused?: { readonly code?: string; readonly message: RegExp };
}
