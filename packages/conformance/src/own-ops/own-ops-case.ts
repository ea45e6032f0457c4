import type { HostTensor } from "@pt2/backend";
import type { WeightTensor } from "@pt2/format";
import type { OpHandler, OpSet } from "@pt2/registry";

/** A program with ops of a user's own, and what PyTorch answers when it has the same ops. */
export interface OwnOpsCase {
  readonly name: string;
  /** In text form. */
  readonly program: string;
  /** Op sets beside `aten`. `kernel` is one of the backend's, for `mine::twice`. */
  readonly sets?: readonly OpSet[] | ((kernel: unknown) => readonly OpSet[]);
  /** They have functions: the case is for backends that honour these. */
  readonly handlers?: readonly OpHandler[];
  readonly weights?: readonly WeightTensor[];
  /** Runs one after the other. */
  readonly runs?: readonly { readonly inputs: readonly HostTensor[]; readonly outputs: readonly HostTensor[] }[];
  /** That compiling it, or its first run, ends in a coded error: with this code, and saying this. */
  readonly refused?: { readonly code?: string; readonly says: RegExp };
}
