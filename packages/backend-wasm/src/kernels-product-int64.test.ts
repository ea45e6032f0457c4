// Products of int64 whose numbers are short are computed in float64; they are the integers that sums without bounds wrap around to.
import { expect, test } from "vitest";
import { BUILDS, random, type Testbed, testbed } from "./kernels.test-helper.ts";

const rng = random(11);

/** An integer of at most so many bits besides its sign, often with all of them. */
function ofBits(bits: number): bigint {
  const most = 2n ** BigInt(bits) - 1n;
  const drawn = (BigInt(rng.below(2 ** 32)) << 32n) | BigInt(rng.below(2 ** 32));
  const value = rng.below(4) === 0 ? most : drawn & most;
  // The complement has as many bits, and is the smallest number of them where all are set.
  return rng.below(2) === 0 ? value : ~value;
}

/** Multiplies integers of so many bits, of which some others replace some, and the same without bounds. */
function both(
  bed: Testbed,
  [M, N, K]: readonly number[],
  [bitsA, bitsB]: readonly number[],
  spots: Spots,
): { readonly found: BigInt64Array; readonly expected: BigInt64Array } {
  const a = BigInt64Array.from({ length: M! * K! }, () => ofBits(bitsA!));
  const b = BigInt64Array.from({ length: K! * N! }, () => ofBits(bitsB!));
  for (const [row, step] of spots.a ?? []) a[row * K! + step] = ofBits(63);
  for (const [step, column] of spots.b ?? []) b[step * N! + column] = ofBits(63);
  const bytes = ({ buffer }: BigInt64Array): Uint8Array => new Uint8Array(buffer as ArrayBuffer);
  const packed = bed.room(Math.ceil(N! / 4) * 8 * K!);
  bed.kernels.productPack8(bed.put(bytes(b)), N!, 1, K!, N!, packed);
  const out = bed.room(2 * M! * N!);
  const scratch = bed.room(2 * (64 * K! + 4 * K! + 64 * 4));
  bed.kernels.productInt64(M!, N!, K!, bed.put(bytes(a)), K!, packed, out, N!, scratch);
  const found = new BigInt64Array(bed.bytes(out, 8 * M! * N!).buffer as ArrayBuffer);
  const expected = found.map((_, i) => {
    let sum = 0n;
    for (let k = 0; k < K!; k++) sum += a[Math.floor(i / N!) * K! + k]! * b[k * N! + (i % N!)]!;
    return BigInt.asIntN(64, sum);
  });
  return { found, expected };
}

interface Spots {
  readonly a?: readonly (readonly [row: number, step: number])[];
  readonly b?: readonly (readonly [step: number, column: number])[];
}

const SIZES = [
  [1, 5, 7],
  [6, 3, 0],
  [4, 4, 8],
  [5, 9, 1],
  [67, 6, 16],
  [130, 13, 33],
];

/** Sums of 33 products have 6 bits more than these: 45 are the most that are computed in float64. */
const BITS = [
  [5, 4],
  [0, 45],
  [22, 23],
  [23, 23],
  [45, 0],
  [51, 0],
  [60, 63],
];

test.each(BUILDS)("%s: short integers, and longer ones", (build) => {
  const bed = testbed(64, { build });
  for (const size of SIZES) {
    for (const bits of BITS) {
      const { found, expected } = both(bed, size, bits, {});
      expect(found, `${size} of ${bits} bits`).toEqual(expected);
      expect(bed.intact()).toBe(true);
      bed.clear();
    }
  }
});

test.each(BUILDS)("%s: a long integer among short ones", (build) => {
  const spots: readonly Spots[] = [
    { a: [[0, 0]] },
    { a: [[66, 32]] },
    { b: [[32, 12]] },
    { b: [[0, 5]] },
    {
      a: [[129, 3]],
      b: [[1, 0]],
    },
  ];
  for (const each of spots) {
    const { found, expected } = both(testbed(64, { build }), [130, 13, 33], [8, 8], each);
    expect(found, JSON.stringify(each)).toEqual(expected);
  }
});
