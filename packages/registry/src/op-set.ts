import type { OpRecord } from "./op.ts";

/** A named, versioned list of ops: `aten`, or what an op package ships. Plain data; nothing registers itself. */
export interface OpSet {
  readonly name: string;
  readonly ops: readonly OpRecord[];
  /**
   * Kernels for its ops by backend name, in the form that backend's package defines. They are asked before the
   * backend's own; a backend that is not named uses the ops' decompositions.
   */
  readonly kernels?: Readonly<Record<string, readonly unknown[]>>;
  /** Allows it to define ops that an earlier set defines. */
  readonly replace?: boolean;
}
