import type { Program } from "@pt2/graph";
import type { RunValue } from "./run-value.ts";

/** Stand-ins for the user inputs of a program whose shapes are all fixed, or null: then planning waits for the first run. */
export function staticInputs({ graph, inputs }: Program): readonly RunValue[] | null {
  const values: RunValue[] = [];
  for (const spec of inputs) {
    if (spec.kind !== "user_input" || spec.value === null) continue;
    const type = graph.values.get(spec.value);
    if (type?.kind !== "tensor" || type.shape.some((size) => typeof size !== "number")) return null;
    const shape = type.shape as readonly number[];
    // Only dtype and shape are looked at when a plan is prepared.
    values.push({ dtype: type.dtype, shape, bytes: EMPTY });
  }
  return values;
}

const EMPTY = new Uint8Array(0);
