import { numel } from "@pt2/backend";
import { wrapIndex } from "../engine/access.ts";
import type { DynamicKernel } from "../engine/dynamic-kernel.ts";
import type { HostData } from "../engine/run-value.ts";
import { broadcastPositions, takeElements } from "./bytes.ts";
import { reader } from "./elements.ts";
import { positions } from "./nonzero.ts";

/** `masked_select(self, mask)`: the elements where the mask is true, row-major. */
export const maskedSelect: DynamicKernel = {
  ops: ["aten::masked_select"],
  run({ self, mask }) {
    const [tensor, chosen] = [self as HostData, mask as HostData];
    const shape = broadcastShape([tensor.shape, chosen.shape]);
    const from = broadcastPositions(tensor.shape, shape);
    const flags = broadcastPositions(chosen.shape, shape);
    const picked: number[] = [];
    for (let i = 0; i < from.length; i++) if (chosen.bytes[flags[i]!] !== 0) picked.push(from[i]!);
    return [takeElements(tensor, picked)];
  },
};

/** `index(self, indices)` where some index is a mask: it stands for the positions of its true elements. */
export const indexMask: DynamicKernel = {
  ops: ["aten::index.Tensor"],
  run({ self, indices }) {
    const tensor = self as HostData;
    const given = expandMasks(indices as unknown as readonly (HostData | null)[]);
    return [indexed(tensor, given)];
  },
};

interface Index {
  readonly shape: readonly number[];
  at(position: number): number;
}

/** One index per dimension; null keeps the dimension. */
function expandMasks(indices: readonly (HostData | null)[]): readonly (Index | null)[] {
  return indices.flatMap((index): readonly (Index | null)[] => {
    if (index === null) return [null];
    if (index.dtype !== "bool" && index.dtype !== "uint8") {
      const read = reader(index);
      return [{ shape: index.shape, at: (i) => Number(read(i)) }];
    }
    const found = positions(index);
    return index.shape.map((size, d) => {
      const step = numel(index.shape.slice(d + 1));
      return { shape: [found.length], at: (i) => Math.floor(found[i]! / step) % size };
    });
  });
}

function indexed(self: HostData, indices: readonly (Index | null)[]): HostData {
  const dims = indices.flatMap((index, d) => (index === null ? [] : [d]));
  const used = indices.filter((index) => index !== null);
  const common = broadcastShape(used.map(({ shape }) => shape));
  const strides = self.shape.map((_, d) => numel(self.shape.slice(d + 1)));
  const bases = new Float64Array(numel(common));
  for (const [k, index] of used.entries()) {
    const dim = dims[k]!;
    const from = broadcastPositions(index.shape, common);
    for (let i = 0; i < bases.length; i++) {
      const row = wrapIndex(index.at(from[i]!), self.shape[dim]!);
      if (row === null) throw new RangeError(`index ${index.at(from[i]!)} of ${self.shape[dim]}`);
      bases[i]! += row * strides[dim]!;
    }
  }
  const adjacent = dims.every((d, i) => d === dims[0]! + i);
  const kept = [...self.shape.keys()].filter((d) => !dims.includes(d));
  const before = adjacent ? kept.filter((d) => d < dims[0]!) : [];
  const after = kept.filter((d) => !before.includes(d));
  const offsets = (over: readonly number[]): readonly number[] =>
    over.reduce<readonly number[]>(
      (all, d) => all.flatMap((base) => Array.from({ length: self.shape[d]! }, (_, i) => base + i * strides[d]!)),
      [0],
    );
  const tails = offsets(after);
  const flat: number[] = [];
  for (const lead of offsets(before)) for (const base of bases) for (const tail of tails) flat.push(lead + base + tail);
  const size = (d: number): number => self.shape[d]!;
  return { ...takeElements(self, flat), shape: [...before.map(size), ...common, ...after.map(size)] };
}

/** Shape that shapes broadcast to; they are known to fit. */
export function broadcastShape(shapes: readonly (readonly number[])[]): readonly number[] {
  const rank = Math.max(0, ...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, d) =>
    shapes.reduce((size, shape) => {
      const own = shape[shape.length - rank + d] ?? 1;
      return own === 1 ? size : own;
    }, 1),
  );
}
