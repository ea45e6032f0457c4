import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { beforeEach, describe, expect, test } from "vitest";
import { BUILDS, random, type Testbed, testbed } from "./kernels.test-helper.ts";

const rng = random(6);

/** What the weight is, see assembly/linear-half.ts. */
const [BFLOAT16, FINITE_FLOAT16, FLOAT16] = [0, 1, 2];

interface Case {
  readonly kind: number;
  readonly M: number;
  readonly N: number;
  readonly K: number;
  readonly bias?: boolean;
  readonly clamps?: boolean;
  /** What the input is multiplied by. */
  readonly scale?: number;
  /** Whether rows read the weight itself, and not what is made of it. */
  readonly few: boolean;
}

/** The number that 16 bits stand for. */
function numberOfBits(dtype: "float16" | "bfloat16", bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const [fraction, bias] = dtype === "float16" ? [10, 15] : [7, 127];
  const [exponent, mantissa] = [(bits & 0x7fff) >> fraction, bits & ((1 << fraction) - 1)];
  if (exponent === 2 * bias + 1) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  const [scale, whole] = exponent === 0 ? [1 - bias, 0] : [exponent - bias, 1];
  return sign * (whole + mantissa / 2 ** fraction) * 2 ** scale;
}

/** Bits of numbers below two: denormal ones, zeros of both signs, and others. */
function finiteBits(kind: number, length: number): Uint16Array {
  const one = kind === BFLOAT16 ? 0x3f80 : 0x3c00;
  return Uint16Array.from(
    { length },
    () => (rng.below(8) === 0 ? rng.below(4) : rng.below(one)) | (rng.below(2) << 15),
  );
}

/** Computes one linear layer with the kernels, and in double precision; returns the worst error. */
function difference(bed: Testbed, { kind, M, N, K, bias = false, clamps = false, scale = 1, few }: Case): number {
  const { kernels } = bed;
  const [panels, lda, ldc] = [Math.ceil(N / 8), K + 2 * rng.below(2), N + rng.below(3)];
  const [a, added, weight] = [rng.floats(M * lda + 1).map((x) => x * scale), rng.floats(N), finiteBits(kind, N * K)];
  const packed = bed.room(panels * 4 * K);
  kernels.gemmPackB(bed.put(new Uint8Array(weight.buffer)), 1, K / 2, K / 2, N, packed);
  const [rows, out, floats] = [bed.put(a), bed.room(M * ldc), bed.room(panels * 8 * K)];
  const biasAt = bias ? bed.put(added) : 0;
  const finish: readonly [number, number, number] = clamps ? [2, -0.25, 0.5] : [0, 0, 0];
  if (few) kernels.halfRows(kind, M, N, K, rows, lda, packed, out, ldc, biasAt, ...finish);
  else {
    kernels.halfFloats(kind, packed, panels * 16 * K, floats);
    kernels.gemmPacked(M, N, K, rows, lda, floats, out, ldc, biasAt, ...finish);
  }
  const found = bed.floats(out, M * ldc);
  const [actual, expected]: [number[], number[]] = [[], []];
  const dtype = kind === BFLOAT16 ? "bfloat16" : "float16";
  for (let m = 0; m < M; m++) {
    for (let n = 0; n < N; n++) {
      let sum = bias ? added[n]! : 0;
      for (let k = 0; k < K; k++) sum += a[m * lda + k]! * numberOfBits(dtype, weight[n * K + k]!);
      actual.push(found[m * ldc + n]! / scale / Math.sqrt(K));
      expected.push((clamps ? Math.min(Math.max(sum, -0.25), 0.5) : sum) / scale / Math.sqrt(K));
    }
  }
  return worstError(Float32Array.from(actual), Float64Array.from(expected), ABSOLUTE);
}

describe.each(BUILDS)("halfRows and halfFloats in the build %s", (build) => {
  const bed = testbed(256, { build });
  beforeEach(() => bed.clear());

  test.each([BFLOAT16, FINITE_FLOAT16, FLOAT16])("computes every tail of columns and rows, of kind %i", (kind) => {
    for (const M of [1, 2, 3, 5]) {
      for (const N of [1, 2, 5, 7, 8, 9, 16, 24, 27, 32, 37, 67]) {
        for (const K of [2, 4, 6, 34]) {
          const [bias, clamps] = [N % 2 === 0, K === 6];
          for (const few of [true, false]) {
            const error = difference(bed, { kind, M, N, K, bias, clamps, few });
            expect(error, `M=${M} N=${N} K=${K} few=${few}`).toBeLessThan(1e-6);
            expect(bed.intact()).toBe(true);
            bed.clear();
          }
        }
      }
    }
  });

  test.each([BFLOAT16, FINITE_FLOAT16, FLOAT16])("computes long rows, of kind %i", (kind) => {
    for (const few of [true, false]) {
      expect(difference(bed, { kind, M: 3, N: 72, K: 1532, few })).toBeLessThan(2e-6);
      expect(bed.intact()).toBe(true);
      bed.clear();
    }
  });

  test.each([BFLOAT16, FINITE_FLOAT16, FLOAT16])("computes with what float16 cannot hold, of kind %i", (kind) => {
    for (const few of [true, false]) {
      for (const scale of [2 ** 75, 2 ** -50]) {
        expect(difference(bed, { kind, M: 2, N: 19, K: 64, scale, few })).toBeLessThan(1e-6);
      }
    }
  });

  test("makes floats of all halves, and knows those that are finite", () => {
    const { kernels } = bed;
    const all = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
    // Each panel of two steps has 16 halves, pairs of neighbors.
    const packed = bed.put(new Uint8Array(all.buffer));
    const order = (i: number): number => (i & ~15) | ((i & 7) << 1) | ((i >> 3) & 1);
    for (const [kind, dtype] of [
      [BFLOAT16, "bfloat16"],
      [FLOAT16, "float16"],
      [FINITE_FLOAT16, "float16"],
    ] as const) {
      const to = bed.room(65536);
      kernels.halfFloats(kind, packed, 131072, to);
      const made = bed.floats(to, 65536);
      const wrong = Array.from(made, (value, i) => [value, numberOfBits(dtype, order(i))] as const).filter(
        ([value, expected]) => !Object.is(value, expected) && (kind !== FINITE_FLOAT16 || Number.isFinite(expected)),
      );
      expect(wrong).toEqual([]);
    }
    for (const [bits, finite] of [
      [0x7bff, 1],
      [0xfbff, 1],
      [0x7c00, 0],
      [0xfc00, 0],
      [0x7e01, 0],
    ] as const) {
      const halves = Uint16Array.from({ length: 64 }, (_, i) => (i === 37 ? bits : 0x3c00));
      expect(kernels.halfIsFinite(bed.put(new Uint8Array(halves.buffer)), 128)).toBe(finite);
    }
  });
});
