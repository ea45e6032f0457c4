import { describe, expect, it } from "vitest";
import { DTYPES } from "./dtype.ts";
import { bitsToFloat, bitsToFloat32, floatToBits, isSmallFloat, type SmallFloat } from "./float-bits.ts";

const DTYPE_NAMES: readonly SmallFloat[] = [
  "float16",
  "bfloat16",
  "float8_e4m3fn",
  "float8_e5m2",
  "float8_e4m3fnuz",
  "float8_e5m2fnuz",
  "float8_e8m0fnu",
];

/** Values and PyTorch's bits for them. */
const PYTORCH: readonly [SmallFloat, number, number][] = [
  ["float16", 1, 0x3c00],
  ["float16", -0, 0x8000],
  ["float16", 65504, 0x7bff],
  ["float16", 65519, 0x7bff],
  ["float16", 65520, 0x7c00],
  ["float16", 2 ** -24, 0x0001],
  ["float16", 2 ** -25, 0x0000],
  ["float16", 2 ** -25 * 1.0001, 0x0001],
  ["float16", 1 + 2 ** -11, 0x3c00],
  ["float16", 1 + 3 * 2 ** -11, 0x3c02],
  ["bfloat16", 3.4e38, 0x7f80],
  ["bfloat16", 1e-40, 0x0001],
  ["bfloat16", 0.1, 0x3dcd],
  ["float8_e4m3fn", 448, 0x7e],
  ["float8_e4m3fn", 465, 0x7e],
  ["float8_e4m3fn", Number.POSITIVE_INFINITY, 0x7e],
  ["float8_e4m3fn", -0.3, 0xaa],
  ["float8_e5m2", 57344, 0x7b],
  ["float8_e5m2", 61440, 0x7c],
  ["float8_e4m3fnuz", 240, 0x7f],
  ["float8_e4m3fnuz", 249, 0x80],
  ["float8_e4m3fnuz", -0, 0x00],
  ["float8_e5m2fnuz", 61440, 0x80],
  ["float8_e8m0fnu", 1.5, 0x80],
  ["float8_e8m0fnu", 2 ** -127, 0x00],
];

describe("small floats", () => {
  it.each(DTYPE_NAMES)("%s: every bit pattern survives a round trip, and rounding is to nearest", (dtype) => {
    const count = DTYPES[dtype].itemsize === 1 ? 256 : 65536;
    for (let bits = 0; bits < count; bits++) {
      const value = bitsToFloat(dtype, bits);
      if (Number.isNaN(value)) expect(bitsToFloat(dtype, floatToBits(dtype, value))).toBeNaN();
      else if (floatToBits(dtype, value) !== bits)
        throw new Error(`${dtype} ${bits} became ${floatToBits(dtype, value)}`);
    }
  });

  it.each(PYTORCH)("%s of %d has the same bits as in PyTorch", (dtype, value, bits) => {
    expect(floatToBits(dtype, value).toString(16)).toBe(bits.toString(16));
  });

  it.each(DTYPE_NAMES)("%s converts the same in bulk as one by one", (dtype) => {
    const wide = DTYPES[dtype].itemsize === 2;
    const patterns = Array.from({ length: 256 }, (_, index) => (wide ? index * 257 : index));
    const bytes = Uint8Array.from(patterns.flatMap((bits) => (wide ? [bits & 255, bits >> 8] : [bits])));
    expect([...bitsToFloat32(dtype, bytes)]).toEqual(patterns.map((bits) => Math.fround(bitsToFloat(dtype, bits))));
  });

  it("the small floats are the dtypes without a typed array", () => {
    expect(
      Object.keys(DTYPES)
        .filter((dtype) => isSmallFloat(dtype as SmallFloat))
        .sort(),
    ).toEqual([...DTYPE_NAMES].sort());
  });
});
