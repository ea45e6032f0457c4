import { numel } from "@pt2/format";
import { beforeEach, describe, expect, test } from "vitest";
import { putLayout, random, testbed } from "./kernels.test-helper.ts";

const bed = testbed(256);
const { kernels, copies } = bed;
const rng = random(4);

beforeEach(() => bed.clear());

/** Returns the contiguous strides of a shape. */
function strides(shape: readonly number[]): number[] {
  return shape.map((_, axis) => numel(shape.slice(axis + 1)));
}

/** Returns the bytes of a permutation of a contiguous array, made one element at a time. */
function permuted(data: Uint8Array, shape: readonly number[], order: readonly number[], width: number): Uint8Array {
  const out = new Uint8Array(data.length);
  const from = order.map((axis) => strides(shape)[axis]!);
  const target = order.map((axis) => shape[axis]!);
  const index = target.map(() => 0);
  for (let at = 0; at < data.length / width; at++) {
    const source = index.reduce((total, i, axis) => total + i * from[axis]!, 0);
    out.set(data.subarray(source * width, (source + 1) * width), at * width);
    for (let axis = index.length - 1; axis >= 0; axis--) {
      if (++index[axis]! < target[axis]!) break;
      index[axis] = 0;
    }
  }
  return out;
}

const permutations = (items: readonly number[]): number[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));

describe.each([
  ["of the backend", kernels],
  ["of the module of all copies", copies],
] as const)("strided copies %s", (_, kernels) => {
  test.each([1, 2, 4, 8] as const)("every permutation up to rank four is copied, with %i bytes an element", (width) => {
    const copy = { 1: kernels.copy1, 2: kernels.copy2, 4: kernels.copy4, 8: kernels.copy8 }[width];
    for (const shape of [[7], [5, 9], [3, 17, 5], [2, 3, 5, 7], [2, 1, 19, 20]]) {
      for (const order of permutations([...shape.keys()])) {
        bed.clear();
        const data = Uint8Array.from({ length: shape.reduce((a, b) => a * b, width) }, () => rng.below(256));
        const target = order.map((axis) => shape[axis]!);
        const pad = <T>(list: readonly T[], fill: T): T[] => [...new Array<T>(6 - list.length).fill(fill), ...list];
        const layout = Int32Array.from([
          ...pad(target, 1),
          ...pad(
            order.map((axis) => strides(shape)[axis]!),
            0,
          ),
          ...pad(strides(target), 0),
        ]);
        const dst = bed.room(Math.ceil(data.length / 4));
        copy(bed.put(data), dst, putLayout(bed, layout));
        expect(bed.bytes(dst, data.length), `${shape} by ${order}`).toEqual(permuted(data, shape, order, width));
        expect(bed.intact()).toBe(true);
      }
    }
  });

  test.each([1, 2, 4, 8] as const)(
    "matrices are transposed, also of few rows or columns, with %i bytes an element",
    (width) => {
      const copy = { 1: kernels.copy1, 2: kernels.copy2, 4: kernels.copy4, 8: kernels.copy8 }[width];
      for (const [rows, columns] of [
        ...[2, 3, 4, 5].flatMap((few) => [64, 67, 150].flatMap((many) => [[few, many] as const, [many, few] as const])),
        [41, 77],
        [64, 33],
      ] as const) {
        bed.clear();
        const data = Uint8Array.from({ length: rows * columns * width }, () => rng.below(256));
        const layout = Int32Array.of(1, 1, 1, 1, columns, rows, 0, 0, 0, 0, 1, columns, 0, 0, 0, 0, rows, 1);
        const dst = bed.room(Math.ceil(data.length / 4));
        copy(bed.put(data), dst, putLayout(bed, layout));
        expect(bed.bytes(dst, data.length), `${rows} × ${columns}`).toEqual(
          permuted(data, [rows, columns], [1, 0], width),
        );
        expect(bed.intact()).toBe(true);
      }
    },
  );

  test.each([1, 2, 4, 8] as const)("rows in reverse are copied, with %i bytes an element", (width) => {
    const copy = { 1: kernels.copy1, 2: kernels.copy2, 4: kernels.copy4, 8: kernels.copy8 }[width];
    for (const columns of [1, 2, 7, 40]) {
      bed.clear();
      const data = Uint8Array.from({ length: 3 * columns * width }, () => rng.below(256));
      const layout = Int32Array.of(1, 1, 1, 1, 3, columns, 0, 0, 0, 0, columns, -1, 0, 0, 0, 0, columns, 1);
      const dst = bed.room(Math.ceil(data.length / 4));
      copy(bed.put(data) + (columns - 1) * width, dst, putLayout(bed, layout));
      const element = (at: number): number[] => [...data.subarray(at * width, (at + 1) * width)];
      const expected = Array.from({ length: 3 * columns }, (_, i) => element(i - 2 * (i % columns) + columns - 1));
      expect([...bed.bytes(dst, data.length)]).toEqual(expected.flat());
      expect(bed.intact()).toBe(true);
    }
  });

  test.each([1, 2, 4, 8] as const)("columns that span much are copied, with %i bytes an element", (width) => {
    const copy = { 1: kernels.copy1, 2: kernels.copy2, 4: kernels.copy4, 8: kernels.copy8 }[width];
    for (const [rows, columns, row, step] of [
      [5, 19, 1, 20_000],
      [5, 16, -2, 20_000],
      [3, 21, 0, 20_000],
      [4, 9, 3, 40_000],
    ] as const) {
      bed.clear();
      const data = Uint8Array.from({ length: columns * step * width }, (_, i) => i % 251);
      const first = row < 0 ? -row * rows : 0;
      const layout = Int32Array.of(1, 1, 1, 1, rows, columns, 0, 0, 0, 0, row, step, 0, 0, 0, 0, columns + 1, 1);
      const dst = bed.put(new Uint8Array(rows * (columns + 1) * width));
      copy(bed.put(data) + first * width, dst, putLayout(bed, layout));
      const expected = new Uint8Array(rows * (columns + 1) * width);
      for (let r = 0; r < rows; r++) {
        for (let c = 0; c < columns; c++) {
          const from = (first + r * row + c * step) * width;
          expected.set(data.subarray(from, from + width), (r * (columns + 1) + c) * width);
        }
      }
      expect(bed.bytes(dst, expected.length)).toEqual(expected);
      expect(bed.intact()).toBe(true);
    }
  });

  test("a copy takes rank six, broadcast and negative strides, and a destination with gaps", () => {
    const data = rng.floats(64);
    const layout = Int32Array.from([2, 1, 3, 2, 2, 3, 0, 0, 5, 16, 7, -2, 60, 0, 20, 10, 5, 1]);
    const dst = bed.put(new Float32Array(120));
    kernels.copy4(bed.put(data) + 4 * 10, dst, putLayout(bed, layout));
    const expected = new Float32Array(120);
    for (let a = 0; a < 2; a++)
      for (let c = 0; c < 3; c++)
        for (let d = 0; d < 2; d++)
          for (let e = 0; e < 2; e++)
            for (let f = 0; f < 3; f++)
              expected[60 * a + 20 * c + 10 * d + 5 * e + f] = data[10 + 5 * c + 16 * d + 7 * e - 2 * f]!;
    expect(bed.floats(dst, 120)).toEqual(expected);
  });

  test("a transpose takes every small size, and rows a multiple of 1 KB apart", () => {
    const check = (rows: number, columns: number, srcStride: number, dstStride: number): void => {
      bed.clear();
      const data = rng.floats(rows * srcStride);
      const dst = bed.put(new Float32Array(columns * dstStride));
      bed.kernels.transpose(bed.put(data), dst, rows, columns, srcStride, dstStride, bed.room(256));
      const expected = new Float32Array(columns * dstStride);
      for (let r = 0; r < rows; r++)
        for (let c = 0; c < columns; c++) expected[c * dstStride + r] = data[r * srcStride + c]!;
      expect(bed.floats(dst, expected.length)).toEqual(expected);
      expect(bed.intact()).toBe(true);
    };
    for (const rows of [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 33]) {
      for (const columns of [1, 2, 3, 4, 5, 8, 13, 31]) check(rows, columns, columns + 3, rows + 2);
      for (const columns of [15, 16, 37]) check(rows, columns, 256, 512);
    }
  });
});
