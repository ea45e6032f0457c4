import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf } from "@pt2/conformance";
import { complexProgram, inputElements, worstPart } from "@pt2/testing/complex-programs";
import { describe, expect, test } from "vitest";
import { WasmBackend } from "../backend.ts";
import { divided } from "../threads/divided.test-helper.ts";

/** Runs a program twice, and returns the results of the second run with the ops of each step. */
async function compute(body: string, inputs: readonly HostTensor[], threads = 1) {
  await using backend = new WasmBackend(threads > 1 ? divided(threads) : undefined);
  const executable = await backend.compile({ program: programOf(body), weights: new Map(), registry: registryOf() });
  await executable.run(inputs);
  const results = (await executable.run(inputs)) as readonly HostTensor[];
  const { steps } = await executable.profile(inputs);
  return { results, steps: steps.length };
}

describe("complex numbers", () => {
  test.each(Array.from({ length: 40 }, (_, i) => i + 1))("random program %i", async (seed) => {
    const { text, result, inputs } = complexProgram(seed);
    const given = inputs.map((input) =>
      hostTensor(input.complex ? "complex64" : "float32", input.shape, inputElements(input)),
    );
    const [out] = (await compute(text, given)).results as [HostTensor];
    expect(out).toMatchObject({ dtype: result.complex ? "complex64" : "float32", shape: result.shape });
    expect(worstPart(result, out.data)).toBeLessThan(1e-5);
    // Programs whose sizes may change are not joined to loops over complex numbers.
    const [apart] = (await compute(text.replace(/\b3, ?1, ?/, "s0, 1, "), given)).results as [HostTensor];
    expect(Buffer.from(apart.bytes).equals(Buffer.from(out.bytes))).toBe(true);
  });

  const chain = (dtype: string, n: string) => `
    user_input %x: ${dtype}[${n}]
    user_input %w: ${dtype}[${n}]
    %p: ${dtype}[${n}] = aten::mul.Tensor(self=%x, other=%w)
    %q: ${dtype}[${n}] = aten::mul.Tensor(self=%p, other=%p)
    %r: ${dtype}[${n}] = aten::sub.Tensor(self=%q, other=%x)
    return %r`;

  test.each(["c64", "c128"] as const)("a chain of ops on %s is one loop, by any number of threads", async (dtype) => {
    const n = 50_003;
    const parts = Float64Array.from({ length: 2 * n }, (_, i) => ((i * 7) % 13) - 6);
    const x = hostTensor(
      dtype === "c64" ? "complex64" : "complex128",
      [n],
      dtype === "c64" ? Float32Array.from(parts) : parts,
    );
    const { results, steps } = await compute(chain(dtype, `${n}`), [x, x]);
    // Real and imaginary parts are views, which take no time.
    expect(steps).toBe(1);
    const got = results[0]!.data as Float32Array | Float64Array;
    for (let i = 0; i < n; i++) {
      const [a, b] = [parts[2 * i]!, parts[2 * i + 1]!];
      const [re, im] = [a * a - b * b, 2 * a * b];
      expect(got[2 * i]).toBe(re * re - im * im - a);
      expect(got[2 * i + 1]).toBe(2 * re * im - b);
    }
    const again = await compute(chain(dtype, `${n}`), [x, x], 3);
    expect(Buffer.from(again.results[0]!.bytes).equals(Buffer.from(results[0]!.bytes))).toBe(true);
  });

  test("squares, cubes and roots are computed without a logarithm, as in PyTorch", async () => {
    const body = `
      user_input %x: c64[3]
      %a: c64[3] = aten::pow.Tensor_Scalar(self=%x, exponent=2)
      %b: c64[3] = aten::pow.Tensor_Scalar(self=%x, exponent=3)
      %c: c64[3] = aten::pow.Tensor_Scalar(self=%x, exponent=0.5)
      %d: c64[3] = aten::pow.Tensor_Scalar(self=%x, exponent=4)
      return %a, %b, %c, %d`;
    const x = hostTensor("complex64", [3], Float32Array.of(3, 4, -2, 1, 0, 0));
    const { results } = await compute(body, [x]);
    const [a, b, c, d] = results.map(({ data }) => [...(data as Float32Array)]) as [
      number[],
      number[],
      number[],
      number[],
    ];
    expect(a).toEqual([-7, 24, 3, -4, 0, 0]);
    expect(b).toEqual([-117, 44, -2, 11, 0, 0]);
    expect(c.slice(0, 2)).toEqual([2, 1]);
    expect(d[0]! / -527).toBeCloseTo(1, 5);
    expect(d[1]! / -336).toBeCloseTo(1, 5);
  });

  test("parts that other kernels compute become complex numbers, and numbers that are transposed are computed in place", async () => {
    const body = `
      user_input %x: f32[2, 3]
      user_input %z: c64[3, 2]
      %s: f32[2, 3] = aten::cumsum(self=%x, dim=1)
      %c: c64[2, 3] = aten::complex(real=%s, imag=%x)
      %t: c64[2, 3] = aten::t(self=%z)
      %p: c64[2, 3] = aten::mul.Tensor(self=%t, other=%t)
      %y: c64[2, 3] = aten::add.Tensor(self=%p, other=%c)
      return %c, %p, %y`;
    const x = hostTensor("float32", [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6));
    const z = hostTensor("complex64", [3, 2], Float32Array.of(1, 1, 2, 0, 0, 3, 1, 2, -1, 1, 2, 2));
    const { results } = await compute(body, [x, z]);
    const [c, p, y] = results.map(({ data }) => [...(data as Float32Array)]) as [number[], number[], number[]];
    expect(c).toEqual([1, 1, 3, 2, 6, 3, 4, 4, 9, 5, 15, 6]);
    expect(p).toEqual([0, 2, -9, 0, 0, -2, 4, 0, -3, 4, 0, 8]);
    expect(y).toEqual(c.map((value, i) => value + p[i]!));
  });
});
