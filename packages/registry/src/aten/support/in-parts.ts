import type { Builder } from "../../builder.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { emit } from "./emit.ts";

/** The number of elements that a part makes at once, if it has more than one row. */
const ELEMENTS = 2 ** 20;

/** The largest number of parts: each of them is some calls. */
const PARTS = 1024;

/**
 * Computes a result in parts along its last dimension but one, which bounds the memory for what lies between operands
 * and result: `each` is the number of elements that are made for a row. `compute` gets a function that takes the rows
 * of an operand. What is small is one part.
 */
export function inParts(
  b: Builder,
  rows: number,
  each: number,
  compute: (part: (operand: TensorMeta) => TensorMeta) => TensorMeta,
): TensorMeta {
  const e = emit(b);
  const step = Math.max(1, Math.floor(ELEMENTS / each), Math.ceil(rows / PARTS));
  if (rows <= step) return compute((operand) => operand);
  const results = Array.from({ length: Math.ceil(rows / step) }, (_, i) =>
    compute((operand) => e.slice(operand, -2, i * step, Math.min((i + 1) * step, rows))),
  );
  return e.cat(results, -2);
}
