import { loading, onDemand } from "../../not-loaded.ts";
import type { OpRecord } from "../../op.ts";
import { takesComplex } from "../support/dtypes.ts";

const complex = onDemand("what ops do with complex numbers", () => import("./complex.ts"));

/** Loads the decompositions for complex arguments, so that every later call finds them. */
export async function loadComplexRules(): Promise<void> {
  await loading(complex);
}

/** Returns records whose decompositions for complex arguments are loaded when the first such call arrives. */
export function deferComplexRules(records: readonly OpRecord[]): readonly OpRecord[] {
  return records.map((record) => {
    const { scalar, decompose } = record;
    if (scalar === undefined && decompose === undefined) return record;
    return {
      ...record,
      decompose: (args, b) => {
        const isComplex = scalar !== undefined || takesComplex(args);
        return (isComplex ? complex().withComplexRule(record) : record).decompose?.(args, b) ?? null;
      },
    };
  });
}
