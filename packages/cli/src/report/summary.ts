import { type Element, elementsOf, elementText } from "@pt2/backend";
import { DTYPES, numel } from "@pt2/format";
import type { LeafInfo, Value } from "@pt2/runtime";

const SHOWN = 6;

/** Summarizes an output as a row of a table. */
export interface OutputSummary {
  readonly name: string;
  readonly type: string;
  /** The first elements. */
  readonly head: readonly string[];
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
}

/** Summarizes all elements of an output. */
export async function summarize({ name, type }: LeafInfo, value: Value): Promise<OutputSummary> {
  if (typeof value !== "object" || value === null) {
    const text = value === null ? "None" : String(value);
    return { name, type: value === null ? text : type.kind, head: [text], ...NOTHING };
  }
  const { dtype, shape } = value;
  const at = elementsOf(dtype, await value.read());
  const count = numel(shape);
  const head: readonly Element[] = Array.from({ length: Math.min(count, SHOWN) }, (_, i) => at(i));
  const measured = count > 0 && DTYPES[dtype].kind !== "complex" ? range(at as (i: number) => number, count) : NOTHING;
  return { name, type: `${dtype} [${shape.join(", ")}]`, head: head.map(elementText), ...measured };
}

const NOTHING = { min: null, max: null, mean: null };

function range(at: (index: number) => number, count: number): Pick<OutputSummary, "min" | "max" | "mean"> {
  let [min, max, sum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (let i = 0; i < count; i++) {
    const value = Number(at(i));
    // NaN makes the minimum and the maximum NaN.
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
  }
  return { min, max, mean: sum / count };
}
