import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { beforeEach, describe, expect, test } from "vitest";
import { BUILDS, random, type Testbed, testbed } from "./kernels.test-helper.ts";

const rng = random(5);

interface Case {
  readonly M: number;
  readonly N: number;
  readonly K: number;
  readonly group?: number;
  readonly zeros?: boolean;
  readonly bias?: boolean;
  /** Whether rows read the weight itself, and not what is made of it. */
  readonly few?: boolean;
}

/** Computes one linear layer with the kernel, and in double precision; returns the worst error, where sums are usually one. */
function difference(bed: Testbed, { M, N, K, group = K, zeros = false, bias = false, few = M < 3 }: Case): number {
  const { kernels } = bed;
  const [panels, groups, lda, ldc] = [
    Math.ceil(N / 8),
    group === 0 ? 1 : K / group,
    K + rng.below(3),
    N + rng.below(3),
  ];
  const a = rng.floats(M * lda + 1);
  const weight = Int8Array.from({ length: N * K }, () => rng.below(256) - 128);
  const [scale, zero, added] = [
    rng.floats(N * groups),
    rng.floats(N * groups).map((x) => Math.round(100 * x)),
    rng.floats(N),
  ];
  const packed = bed.room((panels * 8 * (K + (K % 2))) / 4);
  kernels.productPack1(bed.put(new Uint8Array(weight.buffer)), 1, K, K, N, packed);
  const laid = (numbers: Float32Array, factor: number): Float32Array => {
    const to = new Float32Array(panels * groups * 8);
    for (const [i, x] of numbers.entries()) {
      const [n, g] = [Math.floor(i / groups), i % groups];
      to[(Math.floor(n / 8) * groups + g) * 8 + (n % 8)] = x * factor;
    }
    return to;
  };
  const [scalesAt, zerosAt] = [bed.put(laid(scale, 1 / 65536)), zeros ? bed.put(laid(zero, 65536)) : 0];
  const [rows, out, floats] = [bed.put(a), bed.room(M * ldc), bed.room(panels * 8 * K + 8)];
  const biasAt = bias ? bed.put(added) : 0;
  if (few) kernels.int8Rows(M, N, K, group, rows, lda, packed, scalesAt, zerosAt, out, ldc, biasAt);
  else {
    kernels.int8Floats(N, K, group, packed, scalesAt, zerosAt, floats);
    kernels.gemmPacked(M, N, K, rows, lda, floats, out, ldc, biasAt, 0, 0, 0);
  }

  const found = bed.floats(out, M * ldc);
  const [actual, expected]: [number[], number[]] = [[], []];
  for (let m = 0; m < M; m++) {
    for (let n = 0; n < N; n++) {
      let sum = bias ? added[n]! : 0;
      for (let k = 0; k < K; k++) {
        const at = n * groups + Math.floor(k / group);
        sum += a[m * lda + k]! * (weight[n * K + k]! - (zeros ? zero[at]! : 0)) * scale[at]!;
      }
      const usual = 100 * Math.sqrt(K + 1);
      actual.push(found[m * ldc + n]! / usual);
      expected.push(sum / usual);
    }
  }
  return worstError(Float32Array.from(actual), Float64Array.from(expected), ABSOLUTE);
}

describe.each(BUILDS)("int8Rows and int8Floats in the build %s", (build) => {
  const bed = testbed(256, { build });
  beforeEach(() => bed.clear());

  test.each([1, 2, 3, 4, 5, 9])("computes every tail of columns and steps, with %i rows", (M) => {
    for (const N of [1, 2, 5, 7, 8, 9, 16, 19]) {
      for (const K of [0, 1, 2, 3, 7, 8, 24]) {
        for (const [zeros, bias] of [
          [false, false],
          [true, true],
        ] as const) {
          expect(difference(bed, { M, N, K, zeros, bias }), `N=${N} K=${K} zeros=${zeros}`).toBeLessThan(1e-6);
          expect(bed.intact()).toBe(true);
          bed.clear();
        }
      }
    }
  });

  test.each([1, 3, 13])("scales groups of columns, and dequantizes in blocks of them, with %i rows", (M) => {
    for (const [K, group] of [
      [6, 2],
      [64, 32],
      [1031, 1031],
      [1536, 64],
      [1200, 240],
      [2046, 682],
    ] as const) {
      expect(difference(bed, { M, N: 13, K, group, zeros: true }), `K=${K}`).toBeLessThan(3e-6);
      expect(difference(bed, { M, N: 13, K, group, bias: true }), `K=${K}`).toBeLessThan(3e-6);
      expect(bed.intact()).toBe(true);
      bed.clear();
    }
  });
});
