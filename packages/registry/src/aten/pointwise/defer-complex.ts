import { NotLoaded } from "../../not-loaded.ts";
import type { OpRecord, OpRules } from "../../op.ts";

let complex: typeof import("./complex.ts") | null = null;

/** The records; what elementwise ones decompose into for complex arguments loads when such a call arrives. */
export function deferComplexRules(records: readonly OpRecord[]): readonly OpRecord[] {
  return records.map((record) => (record.scalar === undefined ? record : { ...record, decompose: deferred(record) }));
}

function deferred(record: OpRecord): NonNullable<OpRules<string>["decompose"]> {
  return (args, b) => {
    if (complex === null) {
      throw new NotLoaded(`${record.name} on complex numbers`, async () => {
        complex = await import("./complex.ts");
      });
    }
    return complex.withComplexRule(record).decompose?.(args, b) ?? null;
  };
}
