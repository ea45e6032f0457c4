import type { NativeValue } from "../addon.ts";

/** Of what a node makes for the values of its operands, the least recently used is dropped beyond this number. */
export const MOST_VARIANTS = 16;

/** The run that came to a host node. */
export interface HostRun {
  readonly signal: AbortSignal | undefined;
  /** How many functions of handlers wait for it. */
  readonly depth?: number;
}

/**
 * What JavaScript does at a node between two stretches of native ones. `operands` are the values that the node uses
 * (`hostOperands`); there is one answer per return of the node.
 */
export interface HostNode {
  run(operands: readonly NativeValue[], run: HostRun): Promise<readonly NativeValue[]>;
  /** The same on the calling thread. */
  runSync(operands: readonly NativeValue[]): readonly NativeValue[];
  /** Frees what it compiled. */
  dispose?(): void;
}
