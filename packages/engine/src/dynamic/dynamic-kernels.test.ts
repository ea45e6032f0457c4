// Kernels of results whose size depends on data, each beside the plain loop that it stands for.
import { viewAs } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";
import { describe, expect, test } from "vitest";
import type { HostData } from "../staged/run-value.ts";
import { bincount, oneHot, repeatPositions, repeatSlices } from "./counting.ts";
import { reader } from "./elements.ts";
import { indexMask, maskedSelect } from "./masks.ts";
import { nonzero, where } from "./nonzero.ts";
import { unique, uniqueConsecutive } from "./unique.ts";

const none = Number.NaN;

function tensor(dtype: DType, values: readonly number[], shape: readonly number[] = [values.length]): HostData {
  const parts = DTYPES[dtype].kind === "complex" ? 2 : 1;
  const bytes = new Uint8Array((values.length / parts) * DTYPES[dtype].itemsize);
  const given = dtype === "int64" ? values.map(BigInt) : values;
  viewAs(dtype, bytes).set(given as unknown as ArrayLike<never>);
  return { dtype, shape, bytes };
}

function numbers(data: unknown): readonly number[] {
  const { dtype, bytes } = data as HostData;
  const read = reader(data as HostData);
  return Array.from({ length: bytes.length / DTYPES[dtype].itemsize }, (_, i) => Number(read(i)));
}

const DATA: readonly (readonly [DType, readonly number[]])[] = [
  ["int64", [3, -1, 3, 3, 0, -1, 2 ** 40, 2 ** 40, 3]],
  ["int32", Array.from({ length: 500 }, (_, i) => ((i * 7919) % 13) - 6)],
  ["int32", [-(2 ** 31), 2 ** 31 - 1, 5, 5, -(2 ** 31)]],
  ["int64", [-7, 300, 300, -7, -8, 0]],
  ["int16", [-32768, 32767, 5, -32768]],
  ["uint16", [65535, 0, 0, 65535, 1]],
  ["int8", [-1, 127, -128, -1]],
  ["uint8", [255, 255, 0, 7, 7, 255]],
  ["bool", [1, 0, 0, 1, 1]],
  ["float32", [0.5, -1, 0.5, 0.5, none, 3, none, none, -1, -1]],
  ["float64", Array.from({ length: 300 }, (_, i) => ((i * 31) % 17) / 4)],
  ["int64", []],
  ["float32", []],
];

test.each<readonly [DType, readonly number[], readonly number[]]>([
  ["int64", [2 ** 32, 0, 2 ** 32 + 1, 1, 1, -1, -1, 2 ** 32 - 1], [1, 1, 1, 2, 2, 1]],
  ["float32", [0, -0, none, none, 1], [2, 1, 1, 1]],
  ["float64", [-0, 0, 2 ** -1074, 0], [2, 1, 1]],
  // 0, -0, NaN and NaN, 1, twice.
  ["float16", [0, 0x8000, 0x7e00, 0x7e00, 0x3c00, 0x3c00], [2, 1, 1, 2]],
  ["bfloat16", [0, 0x8000, 0x7fc0, 0x7fc0, 0x3f80, 0x3f80], [2, 1, 1, 2]],
  ["int8", [-1, 127, 127, -128], [1, 2, 1]],
])("neighbors of %s are equal where PyTorch compares them so", (dtype, values, right) => {
  const self = tensor(dtype, values);
  const [found, inverse, counts] = uniqueConsecutive.run({
    self,
    return_inverse: true,
    return_counts: true,
    dim: null,
  });
  expect(numbers(counts)).toEqual(right);
  expect(numbers(inverse)).toEqual(right.flatMap((count, i) => new Array<number>(count).fill(i)));
  const firsts = right.map((_, i) => right.slice(0, i).reduce((sum, count) => sum + count, 0));
  const all = numbers(self);
  expect(numbers(found)).toEqual(firsts.map((first) => all[first]));
});

describe.each(DATA)("distinct elements of %s", (dtype, values) => {
  const self = tensor(dtype, values);

  test("they are ascending, and each NaN is on its own after them", () => {
    const results = unique.run({ self, sorted: true, return_inverse: true, return_counts: true });
    const [found, inverse, counts] = results.map(numbers) as [readonly number[], readonly number[], readonly number[]];
    const distinct = [...new Set(values.filter((x) => !Number.isNaN(x)))].sort((a, b) => a - b);
    expect(found).toEqual([...distinct, ...values.filter(Number.isNaN)]);
    expect(inverse.map((place) => found[place])).toEqual(values);
    expect(counts).toEqual(found.map((_, place) => inverse.filter((own) => own === place).length));
  });

  test("each run of equal elements gives one", () => {
    const results = uniqueConsecutive.run({ self, return_inverse: true, return_counts: true, dim: null });
    const [found, inverse, counts] = results.map(numbers) as [readonly number[], readonly number[], readonly number[]];
    const starts = [...values.keys()].filter((i) => i === 0 || values[i] !== values[i - 1]);
    expect(found).toEqual(starts.map((start) => values[start]));
    expect(inverse).toEqual(values.map((_, i) => starts.filter((start) => start <= i).length - 1));
    expect(counts).toEqual(starts.map((start, k) => (starts[k + 1] ?? values.length) - start));
  });

  test("results that are not asked for are empty", () => {
    const [, inverse, counts] = unique.run({ self, sorted: true, return_inverse: false, return_counts: false });
    expect([numbers(inverse), numbers(counts)]).toEqual([[], []]);
  });
});

describe("counts of integers", () => {
  test.each(["int64", "int32", "uint8"] as const)("of %s", (dtype) => {
    const self = tensor(dtype, [3, 1, 3, 0, 3]);
    expect(numbers(bincount.run({ self, weights: null, minlength: 0 })[0])).toEqual([1, 1, 0, 3]);
    expect(numbers(bincount.run({ self, weights: null, minlength: 6 })[0])).toEqual([1, 1, 0, 3, 0, 0]);
    const weights = tensor("int32", [1, 2, 4, 8, 16]);
    expect(numbers(bincount.run({ self, weights, minlength: 0 })[0])).toEqual([8, 2, 0, 21]);
  });

  test("integers that 32 bits do not hold are counted as what they are", () => {
    expect(() => bincount.run({ self: tensor("int64", [0, 2 ** 32 + 1]), weights: null, minlength: 0 })).toThrow(
      /limit/,
    );
    expect(() => bincount.run({ self: tensor("int64", [0, -(2 ** 32)]), weights: null, minlength: 0 })).toThrow(
      /negative/,
    );
  });

  test("sums of float32 are rounded at each step, as PyTorch's are", () => {
    const self = tensor("int64", [0, 0, 0]);
    const weights = tensor("float32", [1, 2 ** -24, 2 ** -24]);
    expect(numbers(bincount.run({ self, weights, minlength: 0 })[0])).toEqual([1]);
    expect(
      numbers(bincount.run({ self, weights: tensor("float64", [1, 2 ** -24, 2 ** -24]), minlength: 0 })[0]),
    ).toEqual([1 + 2 ** -23]);
  });

  test("an empty input gives as many zeros as asked for", () => {
    expect(numbers(bincount.run({ self: tensor("int64", []), weights: null, minlength: 2 })[0])).toEqual([0, 0]);
    expect(oneHot.run({ self: tensor("int64", []), num_classes: -1 })).toMatchObject([{ shape: [0, 0] }]);
  });

  test("negative ones are refused", () => {
    const self = tensor("int64", [1, -1]);
    expect(() => bincount.run({ self, weights: null, minlength: 0 })).toThrow(/non-negative/);
    expect(() => oneHot.run({ self, num_classes: -1 })).toThrow(/non-negative/);
    expect(() => repeatPositions.run({ repeats: self, output_size: null })).toThrow(/negative/);
  });

  test("positions and slices are repeated as often as is said", () => {
    for (const dtype of ["int64", "int32"] as const) {
      const repeats = tensor(dtype, [2, 0, 3]);
      expect(numbers(repeatPositions.run({ repeats, output_size: null })[0])).toEqual([0, 0, 2, 2, 2]);
      const self = tensor("float32", [1, 2, 3, 4, 5, 6], [2, 3]);
      const [found] = repeatSlices.run({ self, repeats, dim: 1, output_size: null });
      expect(found).toMatchObject({ shape: [2, 5] });
      expect(numbers(found)).toEqual([1, 1, 3, 3, 3, 4, 4, 6, 6, 6]);
    }
  });
});

/** Sixty numbers, zero where the place is a multiple of three. */
const sparse = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? 0 : i));

describe("elements that are not zero", () => {
  test.each([[[60]], [[5, 12]], [[3, 4, 5]]])("their indices in %j are row-major", (shape) => {
    const self = tensor("int32", sparse, shape);
    const places = sparse.flatMap((value, i) => (value === 0 ? [] : [i]));
    const index = (flat: number): readonly number[] =>
      shape.map((size, d) => Math.floor(flat / shape.slice(d + 1).reduce((a, b) => a * b, 1)) % size);
    expect(numbers(nonzero.run({ self })[0])).toEqual(places.flatMap(index));
    const [columns] = where.run({ condition: self }) as readonly [readonly HostData[]];
    expect(columns.map(numbers)).toEqual(shape.map((_, d) => places.map((flat) => index(flat)[d])));
  });

  test.each([
    ["float32", [0, -0, none, 1], [2, 3]],
    ["float16", [0, 0x8000, 0x7e00, 1], [2, 3]],
    ["int64", [0, 2 ** 32, -1, 0], [1, 2]],
    ["complex64", [0, -0, 0, 1, 1, 0, 0, 0], [1, 2]],
    ["float64", [], []],
  ] as const)("NaN and parts of %s are not zero, -0 is", (dtype, values, places) => {
    const size = values.length / (dtype === "complex64" ? 2 : 1);
    expect(numbers(nonzero.run({ self: tensor(dtype, values, [size]) })[0])).toEqual(places);
  });

  test("a tensor without dimensions has an index without numbers", () => {
    expect(nonzero.run({ self: tensor("int64", [5], []) })).toMatchObject([{ shape: [1, 0] }]);
    expect(nonzero.run({ self: tensor("int64", [0], []) })).toMatchObject([{ shape: [0, 0] }]);
  });
});

describe("selection by masks", () => {
  const self = tensor("float64", sparse, [3, 4, 5]);
  const flags = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => Number(i % 4 === 1));

  test.each([1, 2, 3])("a mask of %i dimensions stands for the first ones", (rank) => {
    const shape = [3, 4, 5].slice(0, rank);
    const mask = flags(shape.reduce((a, b) => a * b, 1));
    const slice = 60 / mask.length;
    const [found] = indexMask.run({ self, indices: [tensor("bool", mask, shape)] });
    const places = mask.flatMap((flag, i) =>
      flag === 0 ? [] : Array.from({ length: slice }, (_, k) => i * slice + k),
    );
    expect(numbers(found)).toEqual(places.map((place) => sparse[place]));
    expect(found).toMatchObject({ shape: [places.length / slice, ...[3, 4, 5].slice(rank)] });
  });

  test("indices beside a mask are broadcast to its true elements, and count from the end where negative", () => {
    const mask = tensor("bool", [1, 0, 1, 1], [4]);
    for (const rows of [tensor("int64", [-1]), tensor("int32", [2, 2, 2])]) {
      const [found] = indexMask.run({ self, indices: [rows, mask] });
      expect(found).toMatchObject({ shape: [3, 5] });
      expect(numbers(found)).toEqual([0, 2, 3].flatMap((row) => sparse.slice(40 + 5 * row, 45 + 5 * row)));
    }
    const [, kept] = [null, indexMask.run({ self, indices: [null, mask, tensor("int64", [1])] })[0]];
    expect(numbers(kept)).toEqual(
      [0, 1, 2].flatMap((first) => [0, 2, 3].map((row) => sparse[20 * first + 5 * row + 1])),
    );
  });

  test("an index past the end is refused", () => {
    expect(() => indexMask.run({ self, indices: [tensor("int64", [3])] })).toThrow(/index 3 is out of bounds/);
    expect(() => indexMask.run({ self, indices: [tensor("int64", [-4])] })).toThrow(/index -4 is out of bounds/);
  });

  test("a mask and what it selects from are expanded to each other", () => {
    const rows = tensor("float32", [1, 2, 3, 4, 5, 6], [2, 3]);
    const run = (mask: HostData, given = rows) => numbers(maskedSelect.run({ self: given, mask })[0]);
    expect(run(tensor("bool", [1, 0, 0, 0, 1, 1], [2, 3]))).toEqual([1, 5, 6]);
    expect(run(tensor("bool", [1, 0, 1]))).toEqual([1, 3, 4, 6]);
    expect(run(tensor("bool", [0, 1], [2, 1]))).toEqual([4, 5, 6]);
    expect(run(tensor("bool", [1, 0, 0, 1], [2, 2]), tensor("float32", [7, 8], [1, 2]))).toEqual([7, 8]);
  });

  test("a mask without true elements selects nothing", () => {
    expect(indexMask.run({ self, indices: [tensor("bool", [0, 0, 0])] })).toMatchObject([{ shape: [0, 4, 5] }]);
    expect(maskedSelect.run({ self, mask: tensor("bool", [0]) })).toMatchObject([{ shape: [0] }]);
  });
});
