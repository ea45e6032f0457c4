import { viewAs } from "@pt2/backend";
import { selectFirst, setKeys } from "@pt2/engine/host";
import { DTYPES, type DType } from "@pt2/format";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { testbed } from "../../kernels.test-helper.ts";

const bed = testbed(64);
const { kernels } = bed;

/** The dtypes as the kernel numbers them. */
const TYPES = [
  "float32",
  "float64",
  "int64",
  "int32",
  "int16",
  "uint16",
  "int8",
  "uint8",
  "float16",
  "bfloat16",
] as const;

/** Elements of which many are equal, with zeros of both signs, infinities and NaNs of several bits among floats. */
function elements(dtype: DType, count: number, unit: () => number): Uint8Array {
  const bytes = new Uint8Array(count * DTYPES[dtype].itemsize);
  const array = viewAs(dtype, bytes) as unknown as { [i: number]: number | bigint };
  const halves = dtype === "float16" ? [0x7c00, 0xfc00, 0x7e00, 0xfe01] : [0x7f80, 0xff80, 0x7fc0, 0xffc1];
  for (let i = 0; i < count; i++) {
    const value = Math.floor(unit() * 9) - 4;
    if (dtype === "int64") array[i] = BigInt(value) + 2n ** 60n * BigInt(Math.sign(value));
    else if (dtype === "float16" || dtype === "bfloat16") {
      array[i] = value === 4 ? halves[i % 4]! : value < 0 ? 0x8000 | (-value * 0x700) : value * 0x700;
      if (value === 0 && i % 2 === 0) array[i] = 0x8000;
    } else if (DTYPES[dtype].kind === "float") {
      const special = [Number.NaN, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      array[i] = value === 4 ? special[i % 4]! : value / 8;
    } else array[i] = DTYPES[dtype].kind === "uint" ? value + 4 : value;
  }
  return bytes;
}

test.each(TYPES)("the first of many elements of %s are those of a heap, also of equal ones", (dtype) => {
  const unit = randomUnit(TYPES.indexOf(dtype) + 1);
  const { itemsize } = DTYPES[dtype];
  for (const [n, k, step] of [
    [1, 1, 1],
    [7, 7, 1],
    [64, 1, 1],
    [65, 1, 3],
    [130, 2, 1],
    [1003, 15, 1],
    [1003, 15, 2],
    [400, 100, 1],
  ] as const) {
    const bytes = elements(dtype, n * step, unit);
    for (const descending of [false, true]) {
      bed.clear();
      const keys = new Float64Array(n);
      setKeys(keys, { dtype, bytes, start: 0, stride: step }, { descending });
      // Whatever share of all elements they are, they come from a heap here: none of those that are added does.
      const padded = Float64Array.from({ length: Math.max(n, 64 * k) }, (_, i) => keys[i] ?? Number.POSITIVE_INFINITY);
      const all = { keys: padded, at: Int32Array.from(padded.keys()) };
      selectFirst(all, k, true);
      const [x, values, positions] = [
        bed.put(bytes),
        bed.put(new Uint8Array(k * itemsize)),
        bed.put(new Uint8Array(16 * k)),
      ];
      kernels.selectFirst(
        ...([TYPES.indexOf(dtype), x, itemsize * step, n, k, Number(descending)] as const),
        ...([values, itemsize, positions, 16, bed.room(kernels.selectScratch(k) / 4)] as const),
      );
      const got = Array.from({ length: k }, (_, i) => bed.ints(positions, 4 * k)[4 * i]!);
      expect(got, `${k} of ${n}, ${step} apart`).toEqual([...all.at.subarray(0, k)]);
      const taken = got.flatMap((i) => [...bytes.subarray(i * step * itemsize, (i * step + 1) * itemsize)]);
      expect([...bed.bytes(values, k * itemsize)]).toEqual(taken);
      expect(bed.intact()).toBe(true);
    }
  }
});
