import { expect, test } from "vitest";
import { putLayout, random, type Testbed, testbed } from "./kernels.test-helper.ts";

const PAGE = 65536;
const TWO_GB = 2 ** 31;

/** Returns what a chain of kernels computes from the same numbers. */
function answers(bed: Testbed): readonly Float32Array[] {
  const { kernels } = bed;
  const rng = random(7);
  const [M, N, K] = [37, 45, 530];
  const [a, b, bias] = [bed.put(rng.floats(M * K)), bed.put(rng.floats(N * K)), bed.put(rng.floats(N))];
  const [packed, c, rows, columns] = [
    bed.room(kernels.gemmPackedBytes(K, N) / 4),
    bed.room(M * N),
    bed.room(M * N),
    bed.room(M * N),
  ];
  kernels.gemmPackB(b, 1, K, K, N, packed);
  kernels.gemmPacked(M, N, K, a, K, packed, c, N, bias, 2, -3, 3);
  kernels.softmaxRows(c, rows, M, N);
  kernels.transpose(c, columns, M, N, N, M, bed.room(256));
  const layout = Int32Array.of(1, 1, 1, 1, N, M, 0, 0, 0, 0, -1, N, 0, 0, 0, 0, M, 1);
  const flipped = bed.room(M * N);
  kernels.copy4(c + 4 * (N - 1), flipped, putLayout(bed, layout));
  const sums = bed.room(N);
  kernels.sumColumns(c, sums, 1, M, N, N, M);
  const out = bed.room(M * K);
  const scratch = bed.room(kernels.attentionScratch(M, N, K, K) / 4);
  kernels.attention(a, K, b, K, b, K, out, K, M, N, K, K, 0, M, 0.1, 0, 0, 0, 0, 1, scratch);
  expect(bed.intact()).toBe(true);
  return [
    bed.floats(c, M * N),
    bed.floats(rows, M * N),
    bed.floats(columns, M * N),
    bed.floats(flipped, M * N),
    bed.floats(sums, N),
    bed.floats(out, M * K),
  ];
}

test("kernels compute the same in blocks above and across 2 GB as below", () => {
  const expected = answers(testbed(64));
  expect(answers(testbed(TWO_GB / PAGE + 64, { start: TWO_GB }))).toEqual(expected);
  expect(answers(testbed(TWO_GB / PAGE + 64, { start: TWO_GB - 50_048 }))).toEqual(expected);
});
