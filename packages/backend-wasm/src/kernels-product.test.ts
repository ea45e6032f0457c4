import { beforeEach, describe, expect, test } from "vitest";
import { BUILDS, random, type Testbed, testbed } from "./kernels.test-helper.ts";

const rng = random(3);

type Arrays = typeof Int8Array | typeof Int32Array | typeof BigInt64Array | typeof Float64Array;

/** What follows the arguments that all have is the address of scratch. */
type Multiply = (...args: [...Parameters<Testbed["kernels"]["productFloat64"]>, scratch: number]) => void;

/** What the kernels of one dtype are, and how numbers of it are drawn: so large that sums of integers wrap around. */
interface Kind {
  readonly array: Arrays;
  readonly result: typeof Int32Array | typeof BigInt64Array | typeof Float64Array;
  readonly columns: number;
  readonly draw: () => number | bigint;
  readonly multiply: (bed: Testbed) => Multiply;
  readonly pack: (bed: Testbed) => Testbed["kernels"]["productPack8"];
}

const KINDS: Readonly<Record<string, Kind>> = {
  float64: {
    array: Float64Array,
    result: Float64Array,
    columns: 4,
    draw: () => rng.below(4001) - 2000,
    multiply: ({ kernels }) => kernels.productFloat64,
    pack: ({ kernels }) => kernels.productPack8,
  },
  int64: {
    array: BigInt64Array,
    result: BigInt64Array,
    columns: 4,
    draw: () => BigInt.asIntN(64, (BigInt(rng.below(2 ** 32)) << 31n) * BigInt(rng.below(2 ** 31))),
    multiply: ({ kernels }) => kernels.productInt64,
    pack: ({ kernels }) => kernels.productPack8,
  },
  int32: {
    array: Int32Array,
    result: Int32Array,
    columns: 8,
    draw: () => rng.below(2 ** 32) - 2 ** 31,
    multiply: ({ kernels }) => kernels.productInt32,
    pack: ({ kernels }) => kernels.gemmPackB,
  },
  int8: {
    array: Int8Array,
    result: Int32Array,
    columns: 8,
    draw: () => (rng.below(3) === 0 ? -128 : rng.below(256) - 128),
    multiply: ({ kernels }) => kernels.productInt8,
    pack: ({ kernels }) => kernels.productPack1,
  },
};

const bytesOf = ({ buffer }: { readonly buffer: ArrayBufferLike }): Uint8Array => new Uint8Array(buffer as ArrayBuffer);

/** Computes one product, whose numbers are integers in every dtype, and the same in integers without bounds. */
function both(bed: Testbed, kind: Kind, M: number, N: number, K: number, layout: string): readonly string[][] {
  const { array, result, columns, draw } = kind;
  const isInt8 = array === Int8Array;
  const [steps, size] = [isInt8 ? K + (K % 2) : K, isInt8 ? 4 : result.BYTES_PER_ELEMENT];
  const [strideK, strideN] = (
    { kn: [N + 1, 1], nk: [1, K], view: [2, 2 * K + 3] } as Record<string, readonly [number, number]>
  )[layout]!;
  const drawn = (length: number): InstanceType<Arrays> =>
    (array as { from(of: object, f: () => unknown): InstanceType<Arrays> }).from({ length }, draw);
  const [a, b] = [drawn(M * K), drawn(K * strideK + N * strideN + 1)];
  const panelBytes = isInt8 ? 8 * steps : 32 * K;
  const packed = bed.room((Math.ceil(N / columns) * panelBytes) / 4);
  kind.pack(bed)(bed.put(bytesOf(b)), strideK, strideN, K, N, packed);
  let rows = bed.put(bytesOf(a));
  if (isInt8) {
    const wide = bed.room((M * steps) / 2);
    bed.kernels.productWiden(rows, M, K, 1, wide);
    rows = wide;
  }
  const out = bed.room((M * (N + 1) * size) / 4);
  kind.multiply(bed)(M, N, K, rows, steps, packed, out, N + 1, bed.room(2 * (68 * K + 256)));

  const found = new result(bed.bytes(out, M * (N + 1) * size).buffer as ArrayBuffer);
  const wrap = (sum: bigint): bigint => (result === Float64Array ? sum : BigInt.asIntN(8 * size, sum));
  const [actual, expected]: [string[], string[]] = [[], []];
  for (let m = 0; m < M; m++) {
    for (let n = 0; n < N; n++) {
      let sum = 0n;
      for (let k = 0; k < K; k++) sum += BigInt(a[m * K + k]!) * BigInt(b[k * strideK + n * strideN]!);
      actual.push(String(found[m * (N + 1) + n]));
      expected.push(String(wrap(sum)));
    }
  }
  return [actual, expected];
}

describe.each(BUILDS)("products in the build %s", (build) => {
  const bed = testbed(64, { build });
  beforeEach(() => bed.clear());

  describe.each(Object.entries(KINDS))("of %s", (_, kind) => {
    test.each(["kn", "nk", "view"])("are exact for every tail, B in the layout %s", (layout) => {
      for (const M of [1, 2, 4, 5, 9]) {
        for (const N of [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16]) {
          for (const K of [0, 1, 2, 3, 8, 13]) {
            const [actual, expected] = both(bed, kind, M, N, K, layout);
            expect(actual, `M=${M} N=${N} K=${K}`).toEqual(expected);
            expect(bed.intact(), `M=${M} N=${N} K=${K}`).toBe(true);
            bed.clear();
          }
        }
      }
    });
  });

  test("productWiden keeps the sign of int8 and none of uint8, and ends odd rows with a zero", () => {
    const bytes = Uint8Array.from({ length: 3 * 19 }, () => rng.below(256));
    for (const isSigned of [0, 1]) {
      const [from, to] = [bed.put(bytes), bed.room((3 * 20) / 2)];
      bed.kernels.productWiden(from, 3, 19, isSigned, to);
      const numbers = isSigned ? new Int8Array(bytes.buffer) : bytes;
      const rows = [0, 1, 2].flatMap((row) => [...numbers.subarray(19 * row, 19 * (row + 1)), 0]);
      expect([...new Int16Array(bed.bytes(to, 2 * 60).buffer as ArrayBuffer)]).toEqual(rows);
    }
    expect(bed.intact()).toBe(true);
  });
});
