import { RELATIVE, worstError } from "@pt2/testing/worst-error";
import { beforeEach, describe, expect, test } from "vitest";
import { random, testbed } from "./kernels.test-helper.ts";

const bed = testbed(512);
const { kernels } = bed;
const rng = random(5);
const { NEGATIVE_INFINITY: never } = Number;

beforeEach(() => bed.clear());

interface Case {
  readonly L: number;
  readonly S: number;
  readonly E: number;
  readonly Ev?: number;
  readonly causal?: boolean;
  /** Returns the mask of (row, column); `kind` says how it is stored. */
  readonly mask?: {
    readonly kind: 1 | 2;
    readonly strides: readonly [number, number];
    readonly data: Float32Array | Uint8Array;
  };
}

/** Runs one head with rows that are not adjacent, and the same in double precision. */
function run({ L, S, E, Ev = E, causal = false, mask }: Case): {
  readonly actual: Float32Array;
  readonly expected: Float64Array;
} {
  const rows = { q: E + 3, k: E + 1, v: Ev + 2, out: Ev + 5 };
  const [q, k, v] = [rng.floats(L * rows.q), rng.floats(S * rows.k), rng.floats(S * rows.v)];
  const scale = 3 / Math.sqrt(E);
  const out = bed.put(new Float32Array(L * rows.out));
  const scratch = bed.room(kernels.attentionScratch(L, S, E, Ev) / 4);
  const [maskRow, maskColumn] = mask?.strides ?? [0, 0];
  kernels.attention(
    ...([bed.put(q), rows.q, bed.put(k), rows.k, bed.put(v), rows.v, out, rows.out, L, S, E, Ev] as const),
    ...([0, L, scale] as const),
    ...([mask ? bed.put(mask.data) : 0, mask?.kind ?? 0, maskRow, maskColumn, causal ? 1 : 0, scratch] as const),
  );
  const expected = new Float64Array(L * rows.out);
  for (let i = 0; i < L; i++) {
    const scores = Array.from({ length: S }, (_, j) => {
      let dot = 0;
      for (let e = 0; e < E; e++) dot += q[i * rows.q + e]! * k[j * rows.k + e]!;
      const value = mask?.data[i * maskRow + j * maskColumn] ?? 0;
      if ((causal && j > i) || (mask?.kind === 2 && value === 0)) return never;
      return dot * scale + (mask?.kind === 1 ? value : 0);
    });
    const most = scores.reduce((a, b) => Math.max(a, b), never);
    const terms = scores.map((score) => (most === never ? 0 : Math.exp(score - most)));
    const total = terms.reduce((a, b) => a + b, 0) || 1;
    for (let e = 0; e < Ev; e++)
      expected[i * rows.out + e] = terms.reduce((sum, term, j) => sum + (term / total) * v[j * rows.v + e]!, 0);
  }
  return { actual: bed.floats(out, L * rows.out), expected };
}

function difference(options: Case): number {
  bed.clear();
  const { actual, expected } = run(options);
  expect(bed.intact()).toBe(true);
  return worstError(actual, expected, RELATIVE);
}

describe("attention", () => {
  test.each([
    [1, 1, 1],
    [1, 17, 64],
    [2, 5, 3],
    [3, 7, 16],
    [5, 13, 7],
    [17, 31, 20],
    [64, 64, 32],
    [131, 67, 11],
    [67, 1031, 8],
  ])("attention of %i rows, %i keys and %i features is that in double precision", (L, S, E) => {
    for (const causal of [false, true]) {
      expect(difference({ L, S, E, causal })).toBeLessThan(3e-6);
      expect(difference({ L, S, E, Ev: E + 5, causal })).toBeLessThan(3e-6);
    }
  });

  test.each([1, 2, 3, 29])("attention accepts float masks of every broadcast, with %i rows", (L) => {
    const S = 23;
    for (const strides of [
      [S, 1],
      [0, 1],
      [1, 0],
      [1, L],
      [0, 0],
    ] as const) {
      const data = rng.floats(L * S).map((value) => (value > 0.5 ? never : value));
      expect(difference({ L, S, E: 12, mask: { kind: 1, strides, data } })).toBeLessThan(3e-6);
    }
  });

  test.each([1, 2, 3, 29])("attention accepts bool masks, also with causal, with %i rows", (L) => {
    const S = 23;
    for (const strides of [
      [S, 1],
      [0, 1],
      [1, L],
      [1, 0],
    ] as const) {
      const data = Uint8Array.from({ length: L * S }, () => rng.below(2));
      for (const causal of [false, true])
        expect(difference({ L, S, E: 12, causal, mask: { kind: 2, strides, data } })).toBeLessThan(3e-6);
    }
  });

  test.each([2, 7])("a row whose keys are all masked gives zeros, as in PyTorch", (L) => {
    for (const kind of [1, 2] as const) {
      const data =
        kind === 1 ? new Float32Array(L * 9).fill(never, 9, 18) : new Uint8Array(L * 9).fill(1).fill(0, 9, 18);
      bed.clear();
      const { actual } = run({ L, S: 9, E: 4, mask: { kind, strides: [9, 1], data } });
      expect([...actual.subarray(9, 13)]).toEqual([0, 0, 0, 0]);
      expect([...actual].every(Number.isFinite)).toBe(true);
    }
  });

  test("a NaN in the mask stays in its row", () => {
    const data = new Float32Array(5 * 6);
    data[2 * 6 + 4] = Number.NaN;
    const { actual } = run({ L: 5, S: 6, E: 4, mask: { kind: 1, strides: [6, 1], data } });
    const nans = [0, 1, 2, 3, 4].map((row) => [...actual.subarray(row * 9, row * 9 + 4)].filter(Number.isNaN).length);
    expect(nans).toEqual([0, 0, 4, 0, 0]);
  });
});
