import { printSym, type SymInt } from "@pt2/graph";

/** Whether two sizes are known to be the same. */
export function isSameSize(one: SymInt | undefined, other: SymInt | undefined): boolean {
  return one !== undefined && other !== undefined && printSym(one) === printSym(other);
}
