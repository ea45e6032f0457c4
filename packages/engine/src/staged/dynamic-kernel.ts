import type { OpName } from "@pt2/graph";
import type { RunValue } from "./run-value.ts";

/**
 * A kernel for an op whose result sizes (or their number) depend on data. It runs on host data, between two planned
 * stages.
 */
export interface DynamicKernel {
  readonly ops: readonly OpName[];
  /** Computes the results from arguments by schema name, tensors with their data. Returns one entry per return. */
  run(args: Readonly<Record<string, RunValue>>): readonly RunValue[];
}
