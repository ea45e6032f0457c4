import type { OpRecord } from "./op.ts";

/** The version of what op sets and their rules are: op packages state the one that they were written for. */
export const OPS_API_VERSION = 1;

/** A list of items by op that is loaded on demand. */
export interface Part<Item> {
  /** Matches the names of the ops that it may have items for. If several parts match, the first one is loaded first. */
  readonly ops: Pick<RegExp, "test">;
  load(): Promise<readonly Item[]>;
}

/** A named, versioned list of ops: `aten`, or the ops of an op package. It is plain data; nothing registers itself. */
export interface OpSet {
  /** A name for messages; that of the npm package, where a package provides it. */
  readonly name: string;
  /** The version of that package. */
  readonly version?: string;
  /** The {@link OPS_API_VERSION} that it was written for, checked when it is used. @default the present one */
  readonly apiVersion?: number;
  readonly ops: readonly OpRecord[];
  /** Further ops, which are loaded on demand. No two parts have the same op. */
  readonly parts?: readonly Part<OpRecord>[];
  /** Loads the code that rules of its ops load on demand for rare arguments. */
  loadRules?(): Promise<unknown>;
  /**
   * Kernels for its ops by backend name, in the form that the backend's package defines. They take precedence over the
   * backend's own; a backend that is not listed uses the ops' decompositions.
   */
  readonly kernels?: Readonly<Record<string, readonly unknown[]>>;
  /** Whether it belongs to this project: a rule that fails is then a defect of this project rather than of its user. */
  readonly builtIn?: true;
  /** Whether its rules ask another thread, which has the functions of the user. Only this project makes such sets. */
  readonly asked?: true;
  /** Allows it to define ops that an earlier set defines. */
  readonly replace?: boolean;
}
