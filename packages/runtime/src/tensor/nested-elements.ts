import { LIMITS } from "@pt2/format";
import { runtimeError } from "../runtime-errors.ts";
import type { Elements } from "./convert.ts";

/** Flattens rows in row-major order. Throws `runtime.tensor` if they do not all have the same lengths. */
export function flattened(rows: unknown): { readonly shape: readonly number[]; readonly elements: Elements } {
  const shape: number[] = [];
  // Rows that are nested deeper than tensors have dimensions, as those that contain themselves, are taken as uneven.
  for (let first: unknown = rows; Array.isArray(first) && shape.length < LIMITS.dims; first = first[0]) {
    shape.push(first.length);
    if (first.length === 0) break;
  }
  const elements: (number | bigint | boolean)[] = [];
  const add = (part: unknown, dim: number, at: readonly number[]): void => {
    const size = shape[dim];
    const isRow = Array.isArray(part);
    if (size === undefined && !isRow) elements.push(part as number);
    else if (isRow && part.length === size) for (const [i, inner] of part.entries()) add(inner, dim + 1, [...at, i]);
    else throw uneven(part, at, size);
  };
  add(rows, 0, []);
  return { shape, elements };
}

function uneven(part: unknown, at: readonly number[], size: number | undefined): Error {
  const given = Array.isArray(part) ? `an array of ${part.length}` : String(part);
  return runtimeError("runtime.tensor", {
    what: `The element at [${at.join(", ")}] is ${given}, where ${size === undefined ? "others are numbers" : `others are arrays of ${size}`}`,
    advice: "pass rows of equal lengths",
  });
}
