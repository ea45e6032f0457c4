import { viewAs } from "@pt2/backend";
import { bitsToFloat, DTYPES, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import { convert } from "@pt2/registry/scalar";
import { describe, expect, it } from "vitest";
import { hostArray, hostData } from "./host-array.ts";

const { POSITIVE_INFINITY: infinity, NaN: none } = Number;
const NUMBERS = [
  ...[0, -0, 1, -1, 1.5, -1.5, 255, 256, -129, 65_504, 65_520, 2 ** 31, -(2 ** 31), 2 ** 32 + 3, -(2 ** 32) - 3],
  ...[2 ** 53 - 1, -(2 ** 53) + 1, 2 ** 53, 2 ** 62, -(2 ** 63), 2 ** 63, 2 ** 64, -1e300, infinity, -infinity, none],
];
const BIGINTS = [0n, -1n, 2n ** 53n + 1n, -(2n ** 63n), 2n ** 63n - 1n];
const REAL = Object.keys(DTYPES).filter((dtype) => DTYPES[dtype as DType].kind !== "complex") as DType[];

/** The bits of an element, one by one. */
function elementOf(dtype: DType, value: number | bigint): number | bigint {
  if (isSmallFloat(dtype)) return floatToBits(dtype, Number(value));
  if (dtype === "int64" || dtype === "uint64") return convert(dtype, value) as bigint;
  const one = viewAs(dtype, new Uint8Array(DTYPES[dtype].itemsize));
  one[0] = Number(value);
  return one[0];
}

describe.each(REAL)("%s", (dtype) => {
  it.each([
    ["a list", NUMBERS],
    ["doubles", Float64Array.from(NUMBERS)],
    ["floats", Float32Array.from(NUMBERS)],
    ["bytes", Uint8Array.from([0, 1, 200, 255])],
    ["words", Uint32Array.from([0, 1, 2 ** 31, 2 ** 32 - 1])],
    ["bigints", BIGINTS],
    ["64-bit integers", BigInt64Array.from(BIGINTS)],
    ["no numbers", []],
    ["no bigints", new BigInt64Array()],
  ] as const)("holds %s", (_, values) => {
    const { bytes, shape } = hostData({ dtype, shape: [values.length] }, values);
    expect(shape).toEqual([values.length]);
    const given = Array.from(values as ArrayLike<number | bigint>, (value) => elementOf(dtype, value));
    expect(Array.from(viewAs(dtype, bytes) as ArrayLike<number | bigint>)).toEqual(given);
  });

  it("is taken as doubles, which are copies", () => {
    const bytes = Uint8Array.from({ length: 8 * 64 }, (_, i) => (i * 37 + (i >> 3)) & 255);
    const before = bytes.slice();
    const length = bytes.length / DTYPES[dtype].itemsize;
    const { data, complex } = hostArray({ dtype, shape: [length], bytes });
    const given = Array.from(viewAs(dtype, bytes) as ArrayLike<number | bigint>, (bits) =>
      isSmallFloat(dtype) ? bitsToFloat(dtype, Number(bits)) : Number(bits),
    );
    expect([...data]).toEqual(given);
    expect(complex).toBe(false);
    data.fill(7);
    expect(bytes).toEqual(before);
  });
});

it("complex elements are pairs", () => {
  const { bytes } = hostData({ dtype: "complex64", shape: [2] }, [1, 2, 3, none]);
  const { data, complex } = hostArray({ dtype: "complex64", shape: [2], bytes });
  expect([...data]).toEqual([1, 2, 3, none]);
  expect(complex).toBe(true);
});

it("a part of an array of the tensor's kind is its memory", () => {
  const part = Float32Array.of(1, 2, 3, 4).subarray(1, 3);
  const { bytes } = hostData({ dtype: "float32", shape: [2] }, part);
  expect([...new Float32Array(bytes.buffer, bytes.byteOffset, 2)]).toEqual([2, 3]);
  expect(bytes.byteLength).toBe(8);
});

it("another number of values than a tensor has is refused", () => {
  expect(() => hostData({ dtype: "float32", shape: [3] }, new Float32Array(2))).toThrow(
    expect.objectContaining({ code: "backend.data" }),
  );
});
