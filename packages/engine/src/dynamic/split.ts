import { numel } from "@pt2/backend";
import { normalDim } from "@pt2/format";
import { type DynamicKernel, dynamicKernel } from "../staged/dynamic-kernel.ts";
import type { HostData } from "../staged/run-value.ts";
import { reader } from "./elements.ts";
import { dynamicError } from "./errors.ts";

/** `tensor_split(self, tensor_indices_or_sections, dim)`: a number of parts, or the places to cut at, from a tensor. */
export const tensorSplit: DynamicKernel = dynamicKernel(
  ["aten::tensor_split.tensor_indices_or_sections"],
  ({ self: tensor, tensor_indices_or_sections: given, dim }) => {
    const rank = tensor.shape.length;
    const at = normalDim(dim, rank);
    const size = tensor.shape[at]!;
    const cuts = cutsOf(given, size).map((cut) => Math.min(size, Math.max(0, cut < 0 ? cut + size : cut)));
    const ends = [...cuts, size];
    return [ends.map((end, i) => slice(tensor, at, i === 0 ? 0 : ends[i - 1]!, end))];
  },
);

/** Parts that one call may give: as many as any list of tensors may have. */
const MAX_PARTS = 100_000;

function cutsOf(given: HostData, size: number): readonly number[] {
  const read = reader(given);
  if (given.shape.length > 0) return Array.from({ length: given.shape[0]! }, (_, i) => Number(read(i)));
  const sections = Number(read(0));
  if (!(sections > 0 && sections <= MAX_PARTS)) {
    throw dynamicError(`tensor_split: the number of sections must be in [1, ${MAX_PARTS}], got ${sections}`);
  }
  const [every, longer] = [Math.floor(size / sections), size % sections];
  return Array.from({ length: sections - 1 }, (_, i) => (i + 1) * every + Math.min(i + 1, longer));
}

function slice({ dtype, shape, bytes }: HostData, dim: number, start: number, end: number): HostData {
  const length = Math.max(0, end - start);
  const outer = numel(shape.slice(0, dim));
  const rows = shape[dim]!;
  const row = outer * rows === 0 ? 0 : bytes.byteLength / (outer * rows);
  const out = new Uint8Array(outer * length * row);
  for (let i = 0; i < outer; i++) {
    out.set(bytes.subarray((i * rows + start) * row, (i * rows + start + length) * row), i * length * row);
  }
  return { dtype, shape: shape.map((n, d) => (d === dim ? length : n)), bytes: out };
}
