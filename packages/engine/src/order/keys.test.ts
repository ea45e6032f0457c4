import { viewAs } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";
import { describe, expect, test } from "vitest";
import { reader } from "../dynamic/elements.ts";
import { setKeys } from "./keys.ts";

/** Bits of both zeros, both infinities, NaNs of both signs, and of numbers of all sizes, some of them twice. */
const FLOATS: Readonly<Partial<Record<DType, readonly number[]>>> = {
  float16: [0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 1, 0x8001, 0x3c00, 0xbc00, 0x3c00, 0x7bff, 0xfbff],
  bfloat16: [0x8000, 0, 0xff80, 0x7f80, 0xffc0, 0x7fc1, 0x8001, 1, 0xbf80, 0x3f80, 0xbf80, 0x7f7f],
  float32: [0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 1, 0x80000001, 0x3f800000, 0xbf800000],
  float8_e5m2: [0, 0x80, 0x7c, 0xfc, 0x7f, 0xfe, 1, 0x81, 0x3c, 0xbc],
};

function bytesOf(dtype: DType): Uint8Array {
  const { NaN: none, POSITIVE_INFINITY: infinity } = Number;
  if (dtype === "float64") {
    return new Uint8Array(Float64Array.of(0, -0, infinity, -infinity, none, none, 5e-324, -1, 1e308, -1).buffer);
  }
  if (dtype === "int64") {
    return new Uint8Array(BigInt64Array.of(2n ** 60n, 2n ** 60n + 1n, -(2n ** 63n), -1n, 0n, 2n ** 60n, -1n).buffer);
  }
  if (dtype === "uint64") return new Uint8Array(BigUint64Array.of(2n ** 64n - 1n, 0n, 2n ** 63n, 2n ** 63n).buffer);
  const words = FLOATS[dtype] ?? [0, 1, 200, 55, 1, 0, 17, 128];
  const bytes = new Uint8Array(words.length * DTYPES[dtype].itemsize);
  viewAs(dtype, bytes).set(words as unknown as ArrayLike<never>);
  return bytes;
}

/** How PyTorch orders: NaN as the largest, all NaNs equal. */
function compare(x: number | bigint, y: number | bigint): number {
  if (x < y || (Number.isNaN(y) && !Number.isNaN(x))) return -1;
  return x > y || (Number.isNaN(x) && !Number.isNaN(y)) ? 1 : 0;
}

const DTYPES_ORDERED = [
  ...(["float16", "bfloat16", "float32", "float64", "float8_e5m2"] as const),
  ...(["int64", "uint64", "int32", "int16", "int8", "uint8", "bool"] as const),
];

describe.each(DTYPES_ORDERED)("keys of %s", (dtype) => {
  const bytes = bytesOf(dtype);
  const count = bytes.length / DTYPES[dtype].itemsize;
  const read = reader({ dtype, shape: [count], bytes });

  test.each([
    [0, 1],
    [1, 1],
    [0, 2],
    [count - 1, -1],
    [count - 1, -3],
    [2, 0],
  ])("from element %i on in steps of %i they are in the order of the elements", (start, stride) => {
    const keys = new Float64Array(
      stride === 0 ? 3 : Math.ceil((stride < 0 ? start + 1 : count - start) / Math.abs(stride)),
    );
    for (const descending of [false, true]) {
      setKeys(keys, { dtype, bytes, start, stride }, { descending });
      const [found, wanted] = [[] as number[], [] as number[]];
      for (let i = 0; i < keys.length; i++) {
        for (let j = 0; j < keys.length; j++) {
          found.push(Number(keys[i]! > keys[j]!) - Number(keys[i]! < keys[j]!));
          wanted.push((descending ? -1 : 1) * compare(read(start + i * stride), read(start + j * stride)));
        }
      }
      expect(found.map((sign) => sign + 0)).toEqual(wanted.map((sign) => sign + 0));
    }
  });

  test("raw keys are NaN exactly where an element is", () => {
    const keys = new Float64Array(count);
    setKeys(keys, { dtype, bytes, start: 0, stride: 1 }, { raw: true });
    expect([...keys].map(Number.isNaN)).toEqual([...keys.keys()].map((i) => Number.isNaN(read(i))));
  });

  test("no elements have no keys", () => {
    expect(() =>
      setKeys(new Float64Array(), { dtype, bytes: new Uint8Array(), start: 0, stride: 1 }, {}),
    ).not.toThrow();
  });
});
