import { loading, onDemand } from "../../not-loaded.ts";
import type { OpRecord } from "../../op.ts";
import { takesComplex } from "../support/dtypes.ts";

const complex = onDemand("what ops do with complex numbers", () => import("./complex.ts"));

/** Loads what is decomposed for complex arguments, so that any call finds it. */
export async function loadComplexRules(): Promise<void> {
  await loading(complex);
}

/** The records; what they decompose into for complex arguments loads when such a call arrives. */
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
