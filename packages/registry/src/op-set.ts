import type { OpRecord } from "./op.ts";

/** Something by op that loads when it is needed. */
export interface Part<Item> {
  /** Names of the ops that it may have something for. Of several parts the first is loaded first. */
  readonly ops: RegExp;
  load(): Promise<readonly Item[]>;
}

/** A named, versioned list of ops: `aten`, or what an op package ships. Plain data; nothing registers itself. */
export interface OpSet {
  readonly name: string;
  readonly ops: readonly OpRecord[];
  /** Further ops, loaded when one is asked for. No two parts have the same op. */
  readonly parts?: readonly Part<OpRecord>[];
  /** Brings what rules of its ops load by themselves for rare arguments. */
  loadRules?(): Promise<unknown>;
  /**
   * Kernels for its ops by backend name, in the form that backend's package defines. They are asked before the
   * backend's own; a backend that is not named uses the ops' decompositions.
   */
  readonly kernels?: Readonly<Record<string, readonly unknown[]>>;
  /** Whether it comes with this project: then a rule that fails is a defect here, and not its user's. */
  readonly builtIn?: true;
  /** Whether its rules ask another thread, which has the functions: they may answer `NotLoaded`. */
  readonly asked?: true;
  /** Allows it to define ops that an earlier set defines. */
  readonly replace?: boolean;
}
