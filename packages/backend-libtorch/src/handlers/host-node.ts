import type { NativeValue } from "../addon.ts";

/** Of what a node makes for the values of its operands, the least recently used is dropped beyond this number. */
export const MOST_VARIANTS = 16;

/** The run that came to a host node. */
export interface HostRun {
  readonly signal: AbortSignal | undefined;
  /** How many functions of handlers wait for the run. */
  readonly depth?: number;
}

/**
 * A node that JavaScript computes between two parts of a plan that the native module runs. `operands` are the values
 * that
 * the node uses (`hostOperands`); there is one answer per return of the node.
 */
export interface HostNode {
  run(operands: readonly NativeValue[], run: HostRun): Promise<readonly NativeValue[]>;
  /** Does the same on the calling thread. */
  runSync(operands: readonly NativeValue[]): readonly NativeValue[];
  /** Frees what the node compiled. */
  dispose?(): void;
}
