import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf } from "@pt2/conformance";
import { randomFloats, randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { WasmBackend } from "../../backend.ts";
import { divided } from "../../threads/divided.test-helper.ts";

function random(seed: number, shape: readonly number[]): HostTensor {
  const length = shape.reduce((product, size) => product * size, 1);
  return hostTensor("float32", shape, randomFloats(randomUnit(seed), length));
}

/** Multiplies `x[B, M, K]` by `y`, which is `[B, N, K]` and transposed where `transposed`, and `[B, K, N]` elsewhere. */
async function multiply(x: HostTensor, y: HostTensor, transposed: boolean, threads: number): Promise<HostTensor> {
  await using backend = new WasmBackend(threads > 1 ? divided(threads) : undefined);
  const [b, m, k] = x.shape as readonly [number, number, number];
  const n = y.shape[transposed ? 1 : 2]!;
  const body = `
    user_input %x: f32[${b}, ${m}, ${k}]
    user_input %y: f32[${y.shape}]
    %t: f32[${b}, ${k}, ${n}] = ${transposed ? "aten::transpose.int(self=%y, dim0=1, dim1=2)" : "aten::alias(self=%y)"}
    %z: f32[${b}, ${m}, ${n}] = aten::bmm(self=%x, mat2=%t)
    return %z`;
  const executable = await backend.compile({ program: programOf(body), weights: new Map(), registry: registryOf() });
  return ((await executable.run([x, y])) as readonly HostTensor[])[0]!;
}

test.each([
  // Rows by a vector, a vector by rows, one by one; a vector whose elements lie apart is multiplied otherwise.
  ["N is 1", 3, 7, 37, 1, false],
  ["N is 1, transposed", 3, 7, 37, 1, true],
  ["M is 1", 2, 1, 19, 5, true],
  ["M is 1, not transposed", 2, 1, 19, 5, false],
  ["both are 1", 300, 1, 100, 1, false],
  ["K is 1", 4, 1, 1, 6, false],
  ["K is 3", 500, 3, 3, 1, false],
  ["K is 0", 2, 3, 0, 1, false],
] as const)("products of matrices and vectors: %s", async (_, b, m, k, n, transposed) => {
  const x = random(1, [b, m, k]);
  const y = random(2, transposed ? [b, n, k] : [b, k, n]);
  const got = await multiply(x, y, transposed, 1);
  const [xs, ys, zs] = [x, y, got].map(({ data }) => data as Float32Array) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  for (let i = 0; i < zs.length; i++) {
    const [p, r, c] = [Math.floor(i / (m * n)), Math.floor(i / n) % m, i % n];
    let want = 0;
    for (let j = 0; j < k; j++) {
      want += xs[(p * m + r) * k + j]! * ys[transposed ? (p * n + c) * k + j : (p * k + j) * n + c]!;
    }
    expect(Math.abs(zs[i]! - want)).toBeLessThan(1e-5);
  }
  const again = await multiply(x, y, transposed, 3);
  expect(Buffer.from(again.bytes).equals(Buffer.from(got.bytes))).toBe(true);
});
