import { backendError } from "@pt2/backend";
import type { Pt2Error } from "@pt2/format";
import { type Call, describeNode } from "@pt2/registry";

/**
 * Makes the error about an index that a program computed and that is outside its tensor. Without a call, the caller
 * that runs the op adds it.
 */
export function indexError(index: number, dim: number, size: number, call?: Call): Pt2Error {
  return backendError("backend.index-out-of-range", {
    what: `${call === undefined ? "" : `${call.record.name}: `}index ${index} is out of bounds for dimension ${dim} with size ${size}`,
    where: call && describeNode(call.node),
    advice: "Check the values that the program indexes with, token ids against the vocabulary for example.",
    details: { index, dim, size },
  });
}

/** Checks an index that PyTorch does not count from the end: those of `gather`, of `scatter`, and of rows of tables. */
export function requireIndex(index: number, dim: number, size: number, call?: Call): number {
  if (!(index >= 0 && index < size)) throw indexError(index, dim, size, call);
  return index;
}
