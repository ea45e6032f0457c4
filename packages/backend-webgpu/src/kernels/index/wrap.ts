import { backendError } from "@pt2/backend";
import type { Shader } from "../../shader/shader.ts";

/** A dimension that is indexed. */
export interface IndexedDim {
  readonly dim: number;
  readonly size: number;
}

/** Offers `wrap(index, size)`: an index as Python counts it, from the end when negative. */
export function wrapIndices(shader: Shader, op: string, dims: readonly IndexedDim[], count: number): string {
  guardIndices(shader, op, dims, count);
  return `fn wrap(index: i32, size: u32) -> u32 {
  let from_end = index + select(0, i32(size), index < 0);
  if (from_end < 0 || u32(from_end) >= size) { fail(index); return 0u; }
  return u32(from_end);
}
`;
}

/** Offers `inside(index, size)`: an index that is not counted from the end, as in `gather` or `scatter`. */
export function insideIndices(shader: Shader, op: string, dims: readonly IndexedDim[], count: number): string {
  guardIndices(shader, op, dims, count);
  return `fn inside(index: i32, size: u32) -> u32 {
  if (index < 0 || u32(index) >= size) { fail(index); return 0u; }
  return u32(index);
}
`;
}

/**
 * Offers `fail(index)`: an index that is outside is reported, and 0 then, so that nothing is read or written beside the
 * tensor. Where there are indices but not even a first element, that is refused at once.
 */
function guardIndices(shader: Shader, op: string, dims: readonly IndexedDim[], count: number): void {
  const empty = dims.find(({ size }) => size === 0);
  if (count > 0 && empty !== undefined) {
    throw backendError("backend.index-out-of-range", {
      what: `aten::${op}: an index is out of bounds for dimension ${empty.dim} with size 0`,
      advice: "Check the sizes that the program computes for these inputs.",
    });
  }
  const list = (key: keyof IndexedDim): string => dims.map((each) => each[key]).join(", ");
  shader.guard({
    code: "backend.index-out-of-range",
    what: (index) =>
      dims.length === 1
        ? `aten::${op}: index ${index} is out of bounds for dimension ${list("dim")} with size ${list("size")}`
        : `aten::${op}: index ${index} is out of bounds for one of the dimensions ${list("dim")} with sizes ${list("size")}`,
  });
}
