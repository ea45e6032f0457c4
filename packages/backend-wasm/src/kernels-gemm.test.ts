import { RELATIVE, worstError } from "@pt2/testing/worst-error";
import { beforeEach, describe, expect, test } from "vitest";
import { BUILDS, random, type Testbed, testbed } from "./kernels.test-helper.ts";

const rng = random(1);

interface Case {
  readonly M: number;
  readonly N: number;
  readonly K: number;
  readonly layout?: "kn" | "nk" | "view";
  readonly bias?: "columns" | "rows";
  readonly accumulate?: boolean;
  readonly clamp?: readonly [number, number];
}

/** Runs one product through pack and gemm, and in double precision; returns the worst error. */
function difference(bed: Testbed, { M, N, K, layout = "nk", bias, accumulate = false, clamp }: Case): number {
  const { kernels } = bed;
  const [lda, ldc] = [K + rng.below(3), N + rng.below(3)];
  const [strideK, strideN] = { kn: [N + rng.below(2), 1], nk: [1, K + rng.below(2)], view: [2, 2 * K + 3] }[layout] as [
    number,
    number,
  ];
  const a = rng.floats(M * lda + 1);
  const b = rng.floats(K * strideK + N * strideN + 1);
  const c = rng.floats(M * ldc);
  const extra = rng.floats(Math.max(M, N));
  const [packed, out] = [bed.room(kernels.gemmPackedBytes(K, N) / 4), bed.put(c)];
  kernels.gemmPackB(bed.put(b), strideK, strideN, K, N, packed);
  const flags = (accumulate ? 1 : 0) | (clamp ? 2 : 0) | (bias === "rows" ? 4 : 0);
  const [lo, hi] = clamp ?? [0, 0];
  kernels.gemmPacked(M, N, K, bed.put(a), lda, packed, out, ldc, bias ? bed.put(extra) : 0, flags, lo, hi);

  const expected = Float64Array.from(c);
  for (let m = 0; m < M; m++) {
    for (let n = 0; n < N; n++) {
      let sum = (accumulate ? c[m * ldc + n]! : 0) + (bias ? extra[bias === "rows" ? m : n]! : 0);
      for (let k = 0; k < K; k++) sum += a[m * lda + k]! * b[k * strideK + n * strideN]!;
      expected[m * ldc + n] = clamp ? Math.min(Math.max(sum, lo), hi) : sum;
    }
  }
  return worstError(bed.floats(out, M * ldc), expected, RELATIVE);
}

describe.each(BUILDS)("gemmPacked in the build %s", (build) => {
  const bed = testbed(1024, { build });
  const { kernels } = bed;
  beforeEach(() => bed.clear());

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 29])(
    "gemmPacked computes every tail of columns and steps, with %i rows",
    (M) => {
      for (const N of [1, 2, 3, 5, 7, 8, 9, 13, 16, 17, 31]) {
        for (const K of [1, 2, 3, 4, 5, 7, 8, 13]) {
          for (const layout of ["kn", "nk", "view"] as const) {
            expect(difference(bed, { M, N, K, layout }), `N=${N} K=${K} ${layout}`).toBeLessThan(2e-6);
            bed.clear();
          }
        }
      }
    },
  );

  test("gemmPacked computes in blocks of K and of M", () => {
    expect(difference(bed, { M: 131, N: 17, K: 1031 })).toBeLessThan(2e-5);
    expect(difference(bed, { M: 1, N: 24, K: 3079, layout: "kn" })).toBeLessThan(2e-5);
    expect(difference(bed, { M: 241, N: 3, K: 513, layout: "view", bias: "rows" })).toBeLessThan(2e-5);
  });

  test("gemmPacked applies bias, accumulation and clamp, alone and together, over one and several blocks of K", () => {
    for (const K of [0, 19, 1100]) {
      for (const bias of [undefined, "columns", "rows"] as const) {
        for (const accumulate of [false, true]) {
          for (const clamp of [undefined, [-0.25, 0.5], [0, Number.POSITIVE_INFINITY]] as const) {
            for (const size of [
              { M: 14, N: 21, K },
              { M: 1, N: 53, K },
            ]) {
              const options = { ...size, ...(bias && { bias }), ...(clamp && { clamp }), accumulate };
              expect(difference(bed, options), JSON.stringify(options)).toBeLessThan(2e-5);
              bed.clear();
            }
          }
        }
      }
    }
  });

  test("gemmPacked computes the same bytes for panels alone as for all of them", () => {
    const [N, K] = [61, 129];
    for (const M of [1, 2, 9]) {
      bed.clear();
      const [a, packed] = [bed.put(rng.floats(M * K)), bed.room(kernels.gemmPackedBytes(K, N) / 4)];
      kernels.gemmPackB(bed.put(rng.floats(N * K)), 1, K, K, N, packed);
      const [whole, parts] = [bed.room(M * N), bed.room(M * N)];
      kernels.gemmPacked(M, N, K, a, K, packed, whole, N, 0, 0, 0, 0);
      for (let n = 0; n < N; n += 8) {
        kernels.gemmPacked(M, Math.min(8, N - n), K, a, K, packed + 4 * n * K, parts + 4 * n, N, 0, 0, 0, 0);
      }
      expect(bed.bytes(parts, 4 * M * N)).toEqual(bed.bytes(whole, 4 * M * N));
    }
  });

  test("gemmPacked writes nothing outside C and the packed block at random sizes", () => {
    for (let round = 0; round < 60; round++) {
      const size = { M: 1 + rng.below(40), N: 1 + rng.below(60), K: 1 + rng.below(90) };
      expect(difference(bed, { ...size, layout: (["kn", "nk", "view"] as const)[rng.below(3)]! })).toBeLessThan(4e-6);
      expect(bed.intact()).toBe(true);
      bed.clear();
    }
  });

  test("the clamp of gemmPacked keeps NaN and bounds infinities", () => {
    const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
    for (const N of [3, 8]) {
      bed.clear();
      const packed = bed.room(kernels.gemmPackedBytes(1, N) / 4);
      kernels.gemmPackB(bed.put(new Float32Array(N).fill(1)), N, 1, 1, N, packed);
      const out = bed.room(4 * N);
      kernels.gemmPacked(4, N, 1, bed.put(Float32Array.of(nan, inf, -inf, 3)), 1, packed, out, N, 0, 2, 0, 6);
      const expected = [nan, 6, 0, 3].flatMap((value) => new Array<number>(N).fill(value));
      expect([...bed.floats(out, 4 * N)]).toEqual(expected);
    }
  });
});

test("tiles of four and of six rows compute the same bytes, however many rows are left", () => {
  const beds = (["relaxed4", "relaxed6"] as const).map((build) => testbed(1024, { build }));
  const [N, K] = [29, 301];
  for (const M of [...Array.from({ length: 38 }, (_, i) => i + 2), 215, 433]) {
    for (const flags of [0, 1, 2, 4, 7]) {
      const [a, b, c, bias] = [M * K, K * N, M * N, Math.max(M, N)].map((length) => rng.floats(length));
      const [four, six] = beds.map((bed) => {
        bed.clear();
        const [packed, out] = [bed.room(bed.kernels.gemmPackedBytes(K, N) / 4), bed.put(c!)];
        bed.kernels.gemmPackB(bed.put(b!), N, 1, K, N, packed);
        bed.kernels.gemmPacked(M, N, K, bed.put(a!), K, packed, out, N, bed.put(bias!), flags, -3, 3);
        expect(bed.intact()).toBe(true);
        return bed.floats(out, M * N);
      });
      expect(six, `M=${M} flags=${flags}`).toEqual(four);
    }
  }
});
