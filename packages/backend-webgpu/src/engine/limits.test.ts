import type { HostTensor } from "@pt2/backend";
import { failureOf, ints, programOf, registryOf, run, someFloats, weightsOf } from "@pt2/conformance";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WebgpuBackend } from "../backend.ts";
import { missingDevice, testGpu } from "../device.test-helper.ts";
import { webgpu } from "../index.ts";

const LIMIT = 1 << 16;
const registry = registryOf();
/** The table has 200 KB, slightly more than three bindings. */
const table = someFloats(800, 64);
const weights = weightsOf({ table });

describe.skipIf(missingDevice !== "")(`tensors above the binding limit${missingDevice}`, () => {
  let device: GPUDevice;
  let backend: WebgpuBackend;
  beforeAll(async () => {
    const adapter = (await testGpu().requestAdapter())!;
    // WebGPU lowers no limit below its default, so the limits that the device reports are replaced instead.
    device = await adapter.requestDevice();
    const limits = new Proxy(device.limits, {
      get: (target, name) =>
        name === "maxStorageBufferBindingSize" ? LIMIT : Reflect.get(target, name as keyof GPUSupportedLimits, target),
    });
    Object.defineProperty(device, "limits", { value: limits });
    backend = await webgpu({ device });
  });
  afterAll(async () => {
    await backend.dispose();
    device?.destroy();
  });

  test("the table of an embedding is read in parts above the binding limit", async () => {
    const program = programOf(`
      parameter "table" = %table: f32[800, 64]
      user_input %at: i64[5]
      %y: f32[5, 64] = aten::embedding(weight=%table, indices=%at)
      return %y`);
    const executable = await backend.compile({ program, weights, registry });
    const [rows] = (await run(executable, ints([5], 0, 799, 300, 252, 253))) as [number[]];
    for (const [i, at] of [0, 799, 300, 252, 253].entries()) {
      expect(rows.slice(64 * i, 64 * i + 64)).toEqual([...table.data.slice(64 * at, 64 * at + 64)]);
    }
    expect(await failureOf(run(executable, ints([5], 0, 1, 2, 3, 800)))).toMatchObject({
      code: "backend.index-out-of-range",
    });
    await executable.dispose();
  });

  test("the weight of a linear is read in parts above the binding limit", async () => {
    const program = programOf(`
      parameter "table" = %w: f32[800, 64]
      user_input %x: f32[2, 64]
      %y: f32[2, 800] = aten::linear(input=%x, weight=%w)
      return %y`);
    const executable = await backend.compile({ program, weights, registry });
    const x = someFloats(2, 64);
    const [y] = (await run(executable, x)) as [number[]];
    expect(y).toHaveLength(1600);
    for (const [i, value] of y.entries()) expect(value).toBeCloseTo(dot(x, Math.floor(i / 800), i % 800), 4);
    await executable.dispose();
  });

  test("elementwise ops run in parts above the binding limit", async () => {
    const program = programOf(`
      user_input %x: f32[800, 64]
      %y: f32[800, 64] = aten::mul.Scalar(self=%x, other=2)
      return %y`);
    const executable = await backend.compile({ program, weights: new Map(), registry });
    const [y] = (await run(executable, table)) as [number[]];
    expect(y).toEqual(Array.from(table.data as Float32Array, (value) => value * 2));
    await executable.dispose();
  });

  test("an op that cannot be split is refused with both sizes and its place", async () => {
    const program = programOf(`
      user_input %x: f32[51200]
      %y: f32[51200] = aten::cumsum(self=%x, dim=0)  # sum (model.py:3, in forward)
      return %y`);
    expect(await failureOf(backend.compile({ program, weights: new Map(), registry }))).toMatchObject({
      code: "webgpu.binding-limit",
      what: expect.stringMatching(/204800.*65536/),
      where: expect.stringContaining("model.py:3"),
    });
  });

  test("a tensor larger than a buffer may be is refused", async () => {
    const program = programOf(`
      user_input %x: f32[1]
      %y: f32[2147483648] = aten::expand(self=%x, size=[2147483648])
      %z: f32[2147483648] = aten::add.Tensor(self=%y, other=%y)
      return %z`);
    const failure = await failureOf(backend.compile({ program, weights: new Map(), registry }));
    expect(failure).toMatchObject({ code: expect.stringMatching(/too-large|limit/) });
  });

  test("a tensor that only its elements on the GPU make too large is refused", async () => {
    const program = programOf(`
      user_input %x: u8[1]
      %y: u8[134217728] = aten::expand(self=%x, size=[134217728])
      %z: u8[134217728] = aten::add.Tensor(self=%y, other=%y)  # twice (model.py:3, in forward)
      return %z`);
    expect(await failureOf(backend.compile({ program, weights: new Map(), registry }))).toMatchObject({
      code: "webgpu.too-large",
      what: expect.stringContaining("536870912"),
      where: expect.stringContaining("model.py:3"),
    });
  });
});

function dot(x: HostTensor, row: number, column: number): number {
  let sum = 0;
  for (let k = 0; k < 64; k++) sum += Number(x.data[64 * row + k]) * Number(table.data[64 * column + k]);
  return sum;
}
