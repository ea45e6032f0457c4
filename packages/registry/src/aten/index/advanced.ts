import { isMask } from "../../mask.ts";
import { registryError } from "../../registry-errors.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { broadcast, numel } from "../support/dims.ts";

/** One index per indexed dimension: a mask of rank r takes the place of r index tensors; null is a full slice. */
export type AdvancedIndex = readonly (TensorMeta | null)[];

/**
 * Returns the shape of `self[indices]`. The dimensions of adjacent indices replace the indexed ones in place; if
 * indices are not adjacent, their broadcast dimensions come first. A mask counts as if all its elements were true.
 */
export function indexedShape(self: TensorMeta, indices: AdvancedIndex): readonly number[] {
  const expanded = expandMasks(self, indices);
  check(
    expanded.length <= self.shape.length,
    () => `too many indices for tensor of dimension ${self.shape.length} (got ${expanded.length})`,
  );
  const used = expanded.flatMap((shape, d) => (shape === null ? [] : [d]));
  check(used.length > 0, "at least one index must be provided");
  const common = commonShape(expanded.filter((shape) => shape !== null));
  checkInhabited(self, used, common);
  const adjacent = used.every((d, i) => d === used[0]! + i);
  const before = adjacent ? self.shape.slice(0, used[0]) : [];
  const rest = self.shape.filter((_, d) => !used.includes(d) && !(adjacent && d < used[0]!));
  return [...before, ...common, ...rest];
}

/** Returns the shapes of the index tensors, dimension by dimension of `self`. */
function expandMasks(self: TensorMeta, indices: AdvancedIndex): readonly (readonly number[] | null)[] {
  const shapes: (readonly number[] | null)[] = [];
  const positions = mostPositions(indices);
  for (const index of indices) {
    if (index === null) shapes.push(null);
    else if (isMask(index)) {
      const covered = self.shape.slice(shapes.length, shapes.length + index.shape.length);
      check(
        index.shape.every((n, d) => n === covered[d]),
        () =>
          `The shape of the mask ${show(index.shape)} at index ${shapes.length} does not match the shape of the indexed tensor ${show(self.shape)}`,
      );
      shapes.push(...index.shape.map(() => [positions]));
    } else {
      check(
        index.dtype === "int64" || index.dtype === "int32",
        () => `tensors used as indices must be long, int, byte or bool tensors, got ${index.dtype}`,
      );
      shapes.push(index.shape);
    }
  }
  return shapes;
}

/**
 * Returns the largest number of positions that masks may select: that of the smallest mask, or what the other indices
 * require.
 */
function mostPositions(indices: AdvancedIndex): number {
  const given = indices.filter((index) => index !== null);
  const others = given.filter((index) => !isMask(index)).map(({ shape }) => shape.at(-1) ?? 1);
  const asked = others.find((size) => size !== 1);
  return asked ?? Math.min(...given.filter(isMask).map(({ shape }) => numel(shape)));
}

function commonShape(shapes: readonly (readonly number[])[]): readonly number[] {
  try {
    return broadcast(...shapes);
  } catch (cause) {
    const list = shapes.map(show).join(", ");
    throw registryError("registry.shape", {
      what: `shape mismatch: indexing tensors could not be broadcast together with shapes ${list}`,
      cause,
    });
  }
}

function checkInhabited(self: TensorMeta, used: readonly number[], common: readonly number[]): void {
  const empty = used.find((d) => self.shape[d] === 0);
  check(
    empty === undefined || numel(common) === 0,
    () => `index is out of bounds for dimension with size 0 (dimension ${empty})`,
  );
}
