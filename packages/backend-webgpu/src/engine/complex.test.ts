import { hostTensor, numel, type Tensor } from "@pt2/backend";
import { elementsOf, failureOf, floats, programOf, registryOf, run, weightsOf } from "@pt2/conformance";
import { broadcastShape } from "@pt2/engine";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import { webgpu } from "../index.ts";

type Complex = readonly [re: number, im: number];

/**
 * A value of a random program: its name and type in the text, and its elements by coordinates, of which it takes the
 * last.
 */
interface Known {
  readonly name: string;
  readonly shape: readonly number[];
  readonly complex: boolean;
  readonly at: (coordinates: readonly number[]) => Complex;
  /** A bound of its magnitude. */
  readonly size: number;
}

/** Returns elements of an input, which are few and exact. */
const element = (i: number): number => (((i * 7) % 13) - 6) / 4;

function inputOf(name: string, shape: readonly number[], complex: boolean): Known {
  const at = (coordinates: readonly number[]): Complex => {
    const own = coordinates.slice(coordinates.length - shape.length);
    const i = own.reduce((index, c, d) => index * shape[d]! + (shape[d] === 1 ? 0 : c), 0);
    return complex ? [element(2 * i), element(2 * i + 1)] : [element(i), 0];
  };
  return { name, shape, complex, at, size: 2.2 };
}

const TWO: Readonly<Record<string, (x: Complex, y: Complex) => Complex>> = {
  "aten::add.Tensor": ([a, b], [c, d]) => [a + c, b + d],
  "aten::sub.Tensor": ([a, b], [c, d]) => [a - c, b - d],
  "aten::mul.Tensor": ([a, b], [c, d]) => [a * c - b * d, a * d + b * c],
};
const ONE: Readonly<Record<string, (x: Complex) => Complex>> = {
  "aten::neg": ([a, b]) => [-a, -b],
  "aten::conj": ([a, b]) => [a, -b],
  "aten::abs": ([a, b]) => [Math.hypot(a, b), 0],
  "aten::real": ([a]) => [a, 0],
};

/** Makes a program of random ops on complex and real tensors, with its last value. */
function randomProgram(seed: number): { readonly text: string; readonly result: Known; readonly inputs: Known[] } {
  const unit = randomUnit(seed);
  const random = <T>(list: readonly T[]): T => list[Math.floor(unit() * list.length)]!;
  // Some rows are whole vectors, some begin in the middle of one, and some have none.
  const n = [4, 6, 5][seed % 3]!;
  const inputs = [inputOf("a", [3, 1, n], true), inputOf("b", [2, n], true), inputOf("r", [n], false)];
  const values: Known[] = [...inputs];
  const lines = inputs.map(({ name, shape, complex }) => `user_input %${name}: ${complex ? "c64" : "f32"}[${shape}]`);
  for (let line = 0; line < 7; line++) {
    const complexes = values.filter(({ complex }) => complex);
    const op = random([...Object.keys(TWO), ...Object.keys(TWO), ...Object.keys(ONE)]);
    const [x, y] = [random(line % 2 === 0 ? complexes.slice(-2) : values), random(values)];
    const two = TWO[op];
    const name = `v${line}`;
    if (two !== undefined) {
      const shape = broadcastShape([x.shape, y.shape]);
      const complex = x.complex || y.complex;
      const size = op === "aten::mul.Tensor" ? x.size * y.size : x.size + y.size;
      values.push({ name, shape, complex, size, at: (c) => two(x.at(c), y.at(c)) });
      lines.push(`%${name}: ${complex ? "c64" : "f32"}[${shape}] = ${op}(self=%${x.name}, other=%${y.name})`);
    } else {
      const complex = x.complex && op !== "aten::abs" && op !== "aten::real";
      values.push({ name, shape: x.shape, complex, size: x.size, at: (c) => ONE[op]!(x.at(c)) });
      lines.push(`%${name}: ${complex ? "c64" : "f32"}[${x.shape}] = ${op}(self=%${x.name})`);
    }
  }
  const result = values.at(-1)!;
  return { text: [...lines, `return %${result.name}`].join("\n"), result, inputs };
}

await describeWithDevice("complex numbers", (device) => {
  test.each(Array.from({ length: 40 }, (_, i) => i + 1))("random program %i", async (seed) => {
    const { text, result, inputs } = randomProgram(seed);
    const backend = await webgpu({ device });
    const executable = await backend.compile({ program: programOf(text), weights: new Map(), registry: registryOf() });
    const given = inputs.map(({ shape, complex }) =>
      hostTensor(
        complex ? "complex64" : "float32",
        shape,
        Float32Array.from({ length: numel(shape) * (complex ? 2 : 1) }, (_, i) => element(i)),
      ),
    );
    const [out] = (await executable.run(given)) as [Tensor];
    expect(out).toMatchObject({ dtype: result.complex ? "complex64" : "float32", shape: result.shape });
    const data = await out.read();
    for (let i = 0; i < numel(result.shape); i++) {
      const coordinates = result.shape.map((n, d) => Math.floor(i / numel(result.shape.slice(d + 1))) % n);
      const want = result.at(coordinates);
      const got = result.complex ? [data[2 * i], data[2 * i + 1]] : [data[i], 0];
      for (const part of [0, 1]) expect(Math.abs(Number(got[part]) - want[part]!)).toBeLessThan(1e-5 * result.size);
    }
  });

  test("an op on complex numbers is one step", async () => {
    const backend = await webgpu({ device });
    const executable = await backend.compile({
      program: programOf(`
        user_input %x: f32[2, 3, 4]
        parameter "f" = %f: c64[3, 2]
        %p: f32[2, 3, 2, 2] = aten::view(self=%x, size=[2, 3, 2, 2])
        %c: c64[2, 3, 2] = aten::view_as_complex(self=%p)
        %m: c64[2, 3, 2] = aten::mul.Tensor(self=%c, other=%f)
        %r: f32[2, 3, 2, 2] = aten::view_as_real(self=%m)
        %y: f32[2, 3, 4] = aten::view(self=%r, size=[2, 3, 4])
        return %y`),
      weights: weightsOf({
        f: hostTensor(
          "complex64",
          [3, 2],
          Float32Array.from({ length: 12 }, (_, i) => i % 3),
        ),
      }),
      registry: registryOf(),
    });
    expect((await executable.explain()).split("\n\n")[0]).toMatch(/ 1 dispatches?\n/);
    const [y] = (await run(executable, floats([2, 3, 4], ...Array.from({ length: 24 }, (_, i) => i)))) as [number[]];
    // (0 + i)(0 + i), (2 + 3i)(2 + 0i), …
    expect(y.slice(0, 4)).toEqual([-1, 0, 4, 6]);
  });

  test("a chain of ops on complex numbers is one step", async () => {
    const backend = await webgpu({ device });
    const executable = await backend.compile({
      program: programOf(`
        user_input %x: c64[6]
        user_input %w: c64[6]
        %p: c64[6] = aten::mul.Tensor(self=%x, other=%w)
        %q: c64[6] = aten::mul.Tensor(self=%p, other=%p)
        %r: c64[6] = aten::sub.Tensor(self=%q, other=%x)
        %y: f32[6] = aten::abs(self=%r)
        return %y`),
      weights: new Map(),
      registry: registryOf(),
    });
    expect((await executable.explain()).split("\n\n")[0]).toMatch(/ 1 dispatches?\n/);
    const ones = hostTensor(
      "complex64",
      [6],
      Float32Array.from({ length: 12 }, () => 1),
    );
    // (1 + i)² is 2i, whose square is -4.
    const [y] = (await run(executable, ones, ones)) as [number[]];
    for (const value of y) expect(value).toBeCloseTo(Math.hypot(5, 1), 5);
  });

  test("complex numbers of doubles are held as pairs of float32 where that is allowed", async () => {
    const program = programOf(`
      user_input %x: f32[2, 4]
      parameter "f" = %f: c128[2]
      %d: f64[2, 4] = aten::_to_copy(self=%x, dtype=torch.float64)
      %p: f64[2, 2, 2] = aten::view(self=%d, size=[2, 2, 2])
      %c: c128[2, 2] = aten::view_as_complex(self=%p)
      %m: c128[2, 2] = aten::mul.Tensor(self=%c, other=%f)
      %r: f64[2, 2, 2] = aten::view_as_real(self=%m)
      %y: f32[2, 2, 2] = aten::_to_copy(self=%r, dtype=torch.float32)
      return %y, %m`);
    const weights = weightsOf({ f: hostTensor("complex128", [2], Float64Array.of(0, 1, 2, -1)) });
    const request = { program, weights, registry: registryOf() };
    const narrow = await webgpu({ device, narrowFloat64: true });
    const [y, m] = (await run(await narrow.compile(request), floats([2, 4], 1, 2, 3, 4, 5, 6, 7, 8))) as [
      number[],
      number[],
    ];
    expect(y).toEqual([-2, 1, 10, 5, -6, 5, 22, 9]);
    expect(m).toEqual(y);
    const failure = await failureOf((await webgpu({ device })).compile(request));
    expect(failure).toMatchObject({ code: "runtime.unsupported-ops" });
    expect(String(failure)).toContain("narrowFloat64");
  });

  test("complex tensors on the GPU are inputs and outputs", async () => {
    const backend = await webgpu({ device, outputs: "device" });
    const executable = await backend.compile({
      program: programOf(`
        user_input %x: c64[2, 2]
        %y: c64[2, 2] = aten::t(self=%x)
        return %y`),
      weights: new Map(),
      registry: registryOf(),
    });
    const x = await backend.upload(hostTensor("complex64", [2, 2], Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8)));
    const [once] = (await executable.run([x])) as [Tensor];
    expect(await elementsOf([x, once])).toEqual([
      [1, 2, 3, 4, 5, 6, 7, 8],
      [1, 2, 5, 6, 3, 4, 7, 8],
    ]);
    expect(await elementsOf(await executable.run([once]))).toEqual([[1, 2, 3, 4, 5, 6, 7, 8]]);
  });

  test("an op that is only for real numbers is refused before weights are read", async () => {
    const backend = await webgpu({ device });
    const program = programOf(`
      parameter "w" = %w: c64[4, 4]
      user_input %x: c64[4]
      %l, %i: i32[4, 4] = aten::frexp.Tensor(self=%w)
      %y: c64[4] = aten::mv(self=%l, vec=%x)
      return %y`);
    const weights = new Map(
      [...weightsOf({ w: hostTensor("complex64", [4, 4], new Float32Array(32)) })].map(([name, weight]) => [
        name,
        { ...weight, storage: { ...weight.storage, read: () => Promise.reject(new Error("read")) } },
      ]),
    );
    const failure = await failureOf(backend.compile({ program, weights, registry: registryOf() }));
    expect(failure).toMatchObject({ code: "runtime.unsupported-ops" });
  });
});
