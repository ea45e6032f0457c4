import { isTensorMeta } from "../wrapped.ts";

/** Describes a value of a user in a few words. */
export function describeValue(value: unknown): string {
  if (isTensorMeta(value)) return `${value.dtype} [${[value.shape].flat().join(", ")}]`;
  if (value === undefined) return "nothing";
  if (value instanceof Promise) return "a Promise";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object") return value === null ? "null" : "an object that is not a tensor";
  return typeof value === "function" ? "a function" : String(value);
}
