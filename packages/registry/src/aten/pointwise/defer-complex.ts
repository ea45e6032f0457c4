import { onDemand } from "../../not-loaded.ts";
import type { OpRecord } from "../../op.ts";

const complex = onDemand("what elementwise ops do with complex numbers", () => import("./complex.ts"));

/** The records; what elementwise ones decompose into for complex arguments loads when such a call arrives. */
export function deferComplexRules(records: readonly OpRecord[]): readonly OpRecord[] {
  return records.map((record) =>
    record.scalar === undefined
      ? record
      : { ...record, decompose: (args, b) => complex().withComplexRule(record).decompose?.(args, b) ?? null },
  );
}
