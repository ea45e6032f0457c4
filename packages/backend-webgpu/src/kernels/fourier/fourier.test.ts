import { hostTensor, numel, type Value } from "@pt2/backend";
import { programOf, registryOf, run } from "@pt2/conformance";
import { expect, test } from "vitest";
import { describeWithDevice } from "../../device.test-helper.ts";
import { webgpu } from "../../index.ts";

/** Powers of radices, products of several, primes that have a pass of their own, and nothing to do. */
const LENGTHS = [1, 2, 7, 8, 11, 12, 26, 97, 315, 360, 512, 1013];

/** Pairs of small numbers that differ. */
function numbers(count: number): Float32Array {
  return Float32Array.from({ length: 2 * count }, (_, i) => ((i * 7919) % 127) / 64 - 1);
}

/** By definition: along the middle dimension of [outer, n, inner], in double precision. */
function transform(x: Float32Array, [outer, n, inner]: readonly [number, number, number], sign: 1 | -1): Float64Array {
  const y = new Float64Array(x.length);
  for (let lane = 0; lane < outer * inner; lane++) {
    const at = (k: number): number => 2 * ((Math.floor(lane / inner) * n + k) * inner + (lane % inner));
    for (let k = 0; k < n; k++) {
      for (let j = 0; j < n; j++) {
        const angle = (sign * 2 * Math.PI * ((j * k) % n)) / n;
        const [c, s, re, im] = [Math.cos(angle), Math.sin(angle), x[at(j)]!, x[at(j) + 1]!];
        y[at(k)]! += re * c - im * s;
        y[at(k) + 1]! += re * s + im * c;
      }
    }
  }
  return y;
}

function expectClose(actual: unknown, expected: ArrayLike<number>): void {
  const given = actual as readonly number[];
  const size = Math.hypot(...Array.from(expected)) / Math.sqrt(expected.length);
  const error = given.map((value, i) => Math.abs(value - expected[i]!));
  expect(given.length).toBe(expected.length);
  expect(Math.max(...error)).toBeLessThan(1e-5 * size + 1e-6);
}

await describeWithDevice("Fourier transforms", (device) => {
  const runProgram = async (body: string, ...inputs: readonly Value[]): Promise<unknown> => {
    const backend = await webgpu({ device });
    const executable = await backend.compile({
      program: programOf(body),
      weights: new Map(),
      registry: registryOf(),
    });
    return (await run(executable, ...inputs))[0];
  };

  test.each(LENGTHS)("Fourier transforms of length %d are right along a middle dimension", async (n) => {
    const shape = [2, n, 3] as const;
    const x = numbers(numel(shape));
    const y = await runProgram(
      `user_input %x: c64[2, ${n}, 3]
  %y: c64[2, ${n}, 3] = aten::_fft_c2c(self=%x, dim=[1], normalization=0, forward=true)
  return %y`,
      hostTensor("complex64", shape, x),
    );
    expectClose(y, transform(x, shape, -1));
  });

  test.each(LENGTHS)("Fourier transforms of %d real numbers are inverted", async (n) => {
    const half = Math.floor(n / 2) + 1;
    const x = numbers(3 * n).subarray(0, 3 * n);
    const input = hostTensor("float32", [3, n], x);
    const pairs = Float32Array.from({ length: 6 * n }, (_, i) => (i % 2 === 0 ? x[i / 2]! : 0));
    const body = `user_input %x: f32[3, ${n}]
  %y: c64[3, ${half}] = aten::_fft_r2c(self=%x, dim=[1], normalization=1, onesided=true)`;
    const y = await runProgram(`${body}\n  return %y`, input);
    const whole = transform(pairs, [3, n, 1], -1).map((value) => value / Math.sqrt(n));
    expectClose(
      y,
      whole.filter((_, i) => Math.floor(i / 2) % n < half),
    );
    // What follows is computed where the result is written.
    const back = await runProgram(
      `${body}
  %z: f32[3, ${n}] = aten::_fft_c2r(self=%y, dim=[1], normalization=1, last_dim_size=${n})
  %w: f32[3, ${n}] = aten::neg(self=%z)
  return %w`,
      input,
    );
    expectClose(
      back,
      x.map((value) => -value),
    );
  });
});
