import type { OpName } from "@pt2/graph";
import type { RunValue } from "./run-value.ts";

/** An op whose result sizes (or number) depend on data. It runs on host data, between two planned stages. */
export interface DynamicKernel {
  readonly ops: readonly OpName[];
  /** Arguments by schema name, tensors with their data. One entry per return. */
  run(args: Readonly<Record<string, RunValue>>): readonly RunValue[];
}
