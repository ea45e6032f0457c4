import type { Node } from "@pt2/graph";
import type { NativeValue } from "../addon.ts";
import { libtorchError } from "../libtorch-errors.ts";

/** The run that came to a host node. */
export interface HostRun {
  readonly signal: AbortSignal | undefined;
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

/** Refuses an answer with another number of tensors than the node has results. */
export function requireResults<T>(results: readonly T[], node: Node, who: string): readonly T[] {
  if (results.length >= node.outputs.length) return results;
  throw libtorchError("libtorch.handler", {
    what: `${who} of ${node.op} returned ${results.length} results, and the node has ${node.outputs.length}`,
    advice: "Return one entry per return of the op.",
    details: { op: node.op },
  });
}
