import { Pt2Error } from "@pt2/format";
import { conformanceError } from "../conformance-errors.ts";

/** What a fault is about. */
export type OpFaultKind = "schema" | "sample" | "infer" | "effects" | "values" | "refusal" | "determinism" | "gradient";

/** One thing that is wrong with an op. */
export interface OpFault {
  readonly kind: OpFaultKind;
  /** What differs from what, in a sentence. */
  readonly what: string;
  /** The calls in which it was found: `sample 0, transposed`. */
  readonly samples: readonly string[];
  /** The backends that show it; none if the rules alone do. */
  readonly backends: readonly string[];
  /** How to mend it. */
  readonly advice: string;
}

/** A fault of one call on one backend. */
export interface FoundFault {
  readonly kind: OpFaultKind;
  readonly what: string;
  readonly advice: string;
  readonly sample?: string | undefined;
  readonly backend?: string | undefined;
}

/** Joins faults with one remedy: the first is described, and those after it are only listed with their samples. */
export function joined(found: readonly FoundFault[]): readonly OpFault[] {
  const groups = new Map<string, FoundFault[]>();
  for (const fault of found) {
    const key = `${fault.kind}\n${fault.advice}`;
    groups.set(key, [...(groups.get(key) ?? []), fault]);
  }
  return [...groups.values()].map((faults) => ({
    kind: faults[0]!.kind,
    what: faults[0]!.what,
    samples: [...new Set(faults.flatMap(({ sample = [] }) => sample))],
    backends: [...new Set(faults.flatMap(({ backend = [] }) => backend))],
    advice: faults[0]!.advice,
  }));
}

/** The first names of a list, and how many more there are. */
function shortened(samples: readonly string[]): string {
  const shown = samples.length > 4 ? 3 : samples.length;
  const more = samples.length - shown;
  return samples.slice(0, shown).join("; ") + (more === 0 ? "" : `; and ${more} more`);
}

/** Makes the error that lists faults. */
export function faultsError(op: string, faults: readonly OpFault[]): Pt2Error {
  const items = faults.map(({ kind, what, samples, backends, advice }, i) => {
    const places = [shortened(samples), backends.length === 0 ? "" : `on ${backends.join(", ")}`];
    const place = places.filter((part) => part !== "").join(" ");
    return `${i + 1}. ${kind}: ${what}${place === "" ? "" : `\n   found in ${place}`}\n   ${advice}`;
  });
  return conformanceError("conformance.op", {
    what: `${op} has ${faults.length} fault${faults.length === 1 ? "" : "s"}:\n${items.join("\n")}`,
    details: { op, faults },
  });
}

/** What an error says, without where and what to do. */
export function messageOf(error: unknown): string {
  return error instanceof Pt2Error ? error.what : error instanceof Error ? error.message : String(error);
}
