import type { Program } from "@pt2/graph";
import type { RunValue } from "./run-value.ts";

/**
 * Makes placeholders for the user inputs of a program whose shapes are all fixed; otherwise null, and planning waits
 * for the first run.
 */
export function staticInputs({ graph, inputs }: Program): readonly RunValue[] | null {
  const values: RunValue[] = [];
  for (const spec of inputs) {
    if (spec.kind !== "user_input" || spec.value === null) continue;
    const type = graph.values.get(spec.value);
    if (type?.kind !== "tensor" || type.shape.some((size) => typeof size !== "number")) return null;
    const shape = type.shape as readonly number[];
    // A plan looks at dtype and shape only.
    values.push({ dtype: type.dtype, shape, bytes: EMPTY });
  }
  return values;
}

const EMPTY = new Uint8Array(0);
