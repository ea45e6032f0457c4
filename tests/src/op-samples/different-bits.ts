import { typeText } from "@pt2/backend";
import { difference, type Leaf } from "../difference.ts";

/** Describes what is wrong with a leaf that must have exactly these bits; null if nothing is. */
export function differentBits(actual: Leaf | undefined, expected: Leaf): string | null {
  if (typeof expected !== "object" || expected === null) return difference(actual, expected, {});
  if (typeof actual !== "object" || actual === null) return `${String(actual)}, not a tensor`;
  if (typeText(actual) !== typeText(expected)) return `is ${typeText(actual)} instead of ${typeText(expected)}`;
  const [got, want] = [bytesOf(actual.data), bytesOf(expected.data)];
  if (got.equals(want)) return null;
  return difference(actual, expected, {}) ?? "bits differ, in signs of zeros or in NaN";
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
