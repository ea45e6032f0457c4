import { hostTensor, type Tensor } from "@pt2/backend";
import { elementsOf, failureOf, floats, programOf, registryOf, run, weightsOf } from "@pt2/conformance";
import { complexProgram, inputElements, worstPart } from "@pt2/testing/complex-programs";
import { expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import { webgpu } from "../index.ts";

await describeWithDevice("complex numbers", (device) => {
  test.each(Array.from({ length: 40 }, (_, i) => i + 1))("random program %i", async (seed) => {
    const { text, result, inputs } = complexProgram(seed);
    const backend = await webgpu({ device });
    const executable = await backend.compile({ program: programOf(text), weights: new Map(), registry: registryOf() });
    const given = inputs.map((input) =>
      hostTensor(input.complex ? "complex64" : "float32", input.shape, inputElements(input)),
    );
    const [out] = (await executable.run(given)) as [Tensor];
    expect(out).toMatchObject({ dtype: result.complex ? "complex64" : "float32", shape: result.shape });
    expect(worstPart(result, await out.read())).toBeLessThan(1e-5);
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
