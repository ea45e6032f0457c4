import { isDense, sameStrides } from "@pt2/engine";
import { DTYPES, numel } from "@pt2/format";
import type { Part } from "../threads/team.ts";
import { newCopyModule } from "./copy-module.ts";
import type { PlanContext } from "./kernel.ts";
import { partScratch } from "./part-scratch.ts";
import { addressOf, type TensorView } from "./tensor-view.ts";
import { writing } from "./written-by.ts";

/** The rank in a copy kernel's layout: six sizes, six source strides, six target strides. */
const RANK = 6;
/** Of a layout, and of the scratch that a call of the kernel has behind it, see assembly/copy.ts. */
export const LAYOUT_BYTES: number = 128 + 1024;
/** Of an element that is copied. */
const NANOSECONDS_EACH = 0.3;

interface Dimension {
  readonly size: number;
  readonly from: number;
  readonly to: number;
}

/** Plans a copy between two strided tensors of one shape and dtype. */
export function planCopy(ctx: PlanContext, from: TensorView, to: TensorView): void {
  const { itemsize } = DTYPES[from.dtype];
  const count = numel(from.shape);
  if (sameStrides(from.shape, from.strides, to.strides) && isDense(to.shape, to.strides)) {
    const bytes = count * itemsize;
    const move = (): void => void ctx.heap.u8.copyWithin(addressOf(to), addressOf(from), addressOf(from) + bytes);
    ctx.step(writing(to, move));
    return;
  }
  const name = COPIES[Math.min(itemsize, 8)]!;
  // A complex128 element is copied as two elements of eight bytes.
  const scale = itemsize > 8 ? itemsize / 8 : 1;
  const unit = itemsize / scale;
  const dims: Dimension[] = from.shape.map((size, d) => ({
    size,
    from: from.strides[d]! * scale,
    to: to.strides[d]! * scale,
  }));
  if (scale > 1) dims.push({ size: scale, from: 1, to: 1 });
  const all = coalesce(dims);
  const module = count >= LEAST && isAcross(all, unit) ? ctx.state(newCopyModule).want() : null;
  const copy: Copy = (...args) => (module?.kernels ?? ctx.kernels)[name](...args);
  if (all.length > RANK) planMany(ctx, { all, unit, copy, from, to });
  else planOne(ctx, { all, unit, copy, from, to });
}

/** Kernels by the bytes of an element. */
const COPIES: Readonly<Record<number, "copy1" | "copy2" | "copy4" | "copy8">> = {
  1: "copy1",
  2: "copy2",
  4: "copy4",
  8: "copy8",
};
/** Elements that are worth the module of all copies. */
const LEAST = 4096;
/** Rows of at most so many elements of four bytes are interleaved by that module; the backend's own transposes longer ones. */
const FEW = 3;

/** Whether the module of all copies is faster: what lies side by side in one of both tensors does not in the other. */
function isAcross(all: readonly Dimension[], unit: number): boolean {
  const [inner, source] = [all.find(({ to }) => to === 1), all.find(({ from }) => from === 1)];
  if (inner === undefined) return false;
  // Rows that are short, or in reverse.
  if (inner === source) return inner.size * unit < 128;
  if (unit !== 4) return true;
  return source !== undefined && Math.min(inner.size, source.size) <= FEW;
}

type Copy = (from: number, to: number, layout: number) => void;

interface StridedCopy {
  /** The dimensions, merged. */
  readonly all: readonly Dimension[];
  /** Bytes of an element. */
  readonly unit: number;
  readonly copy: Copy;
  readonly from: TensorView;
  readonly to: TensorView;
}

/** A copy of as many dimensions as the kernel takes, which threads divide along the first. */
function planOne(ctx: PlanContext, { all, unit, copy, from, to }: StridedCopy): void {
  const [first = { size: 1, from: 0, to: 0 }, ...rest] = all;
  const count = numel(from.shape);
  const parts = ctx.team.parts({ items: first.size, nanoseconds: count * NANOSECONDS_EACH });
  const layouts = parts.map((part) => layoutWords([{ ...first, size: part.count }, ...rest]));
  const scratchOf = partScratch(ctx, parts, LAYOUT_BYTES);
  const compute = (part: Part): void => {
    // The kernel reorders its layout, so each call gets a fresh one.
    const layout = scratchOf(part);
    ctx.heap.i32.set(layouts[part.index]!, layout / 4);
    copy(addressOf(from) + part.start * first.from * unit, addressOf(to) + part.start * first.to * unit, layout);
  };
  ctx.step(writing(to, ctx.team.step(parts, compute)));
}

/** A copy of more dimensions: many calls of the kernel. */
function planMany(ctx: PlanContext, { all, unit, copy, from, to }: StridedCopy): void {
  const [outer, inner] = [all.slice(0, -RANK), all.slice(-RANK)];
  const layout = layoutWords(inner);
  const block = ctx.scratch(LAYOUT_BYTES);
  const run = (): void => {
    const at = block.handle;
    forEachOuter(outer, (source, target) => {
      ctx.heap.i32.set(layout, at / 4);
      copy(addressOf(from) + source * unit, addressOf(to) + target * unit, at);
    });
  };
  ctx.step(writing(to, run));
}

/**
 * Orders dimensions as they lie in the target, so that threads write to memory of their own, merges neighbors that both
 * tensors cross in one stride, and drops dimensions of size 1.
 */
function coalesce(dims: readonly Dimension[]): readonly Dimension[] {
  const merged: Dimension[] = [];
  for (const dim of dims.filter(({ size }) => size !== 1).sort((a, b) => b.to - a.to)) {
    const last = merged.at(-1);
    if (last !== undefined && last.from === dim.from * dim.size && last.to === dim.to * dim.size) {
      merged[merged.length - 1] = { ...dim, size: dim.size * last.size };
    } else merged.push(dim);
  }
  return merged;
}

function layoutWords(dims: readonly Dimension[]): Int32Array {
  const padded = [...new Array<Dimension>(RANK - dims.length).fill({ size: 1, from: 0, to: 0 }), ...dims];
  return Int32Array.of(...padded.map(({ size }) => size), ...padded.map((d) => d.from), ...padded.map((d) => d.to));
}

function forEachOuter(
  dims: readonly Dimension[],
  visit: (source: number, target: number) => void,
  source = 0,
  target = 0,
): void {
  const [dim, ...rest] = dims;
  if (dim === undefined) {
    visit(source, target);
    return;
  }
  for (let i = 0; i < dim.size; i++) forEachOuter(rest, visit, source + i * dim.from, target + i * dim.to);
}
