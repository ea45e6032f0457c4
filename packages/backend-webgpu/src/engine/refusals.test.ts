import { hostTensor } from "@pt2/backend";
import { failureOf, floats, ints, programOf, registryOf, run, someFloats, weightsOf } from "@pt2/conformance";
import { defineOp } from "@pt2/registry";
import { expect, test, vi } from "vitest";
import { WebgpuBackend } from "../backend.ts";
import { describeWithDevice, openTestDevice } from "../device.test-helper.ts";
import { webgpu } from "../index.ts";
import { KERNEL_PARTS } from "../kernels/kernels-on-demand.ts";
import { DeviceSource, deviceOf } from "./device.ts";
import { webgpuKernel } from "./kernel.ts";
import { kernelParts } from "./kernels.ts";

const registry = registryOf();
const weights = new Map();
/** Its rule is wrong, which shows only where a tensor does not begin at its buffer's start. */
const TWICE_AS_FAR = defineOp("wrong::twice_as_far(Tensor(a) self) -> Tensor(a)", {
  view: ({ shape, strides, offset }) => ({ shape, strides, offset: 2 * offset }),
});
const LOOKUP = `
  parameter "table" = %table: f32[5, 3]
  user_input %at: i64[2]
  %y: f32[2, 3] = aten::embedding(weight=%table, indices=%at)  # words (model.py:12, in forward)
  return %y`;

await describeWithDevice("what is refused says where", (device) => {
  test("an index outside its tensor is refused with its place, and the model stays usable", async () => {
    const backend = await webgpu({ device });
    const table = someFloats(5, 3);
    const request = { program: programOf(LOOKUP), weights: weightsOf({ table }), registry };
    const executable = await backend.compile(request);
    expect(await failureOf(run(executable, ints([2], 1, 5)))).toMatchObject({
      code: "backend.index-out-of-range",
      what: "aten::embedding: index 5 is out of bounds for dimension 0 with size 5",
      where: expect.stringContaining("words, model.py:12, in forward"),
    });
    expect(await run(executable, ints([2], 4, 0))).toEqual([[...table.data.slice(12), ...table.data.slice(0, 3)]]);
    await backend.dispose();
  });

  test("an index into an empty tensor is refused without a shader", async () => {
    const backend = await webgpu({ device });
    for (const op of [
      "gather(self=%x, dim=0, index=%at)",
      "index_select(self=%x, dim=0, index=%at)",
      "index.Tensor(self=%x, indices=[%at])",
    ]) {
      const program = programOf(`
        user_input %x: f32[0]
        user_input %at: i64[2]
        %y: f32[2] = aten::${op}  # words (model.py:12, in forward)
        return %y`);
      expect(await failureOf(backend.compile({ program, weights, registry }))).toMatchObject({
        where: expect.stringContaining("words, model.py:12, in forward"),
      });
    }
    await backend.dispose();
  });

  test("an index among weights is refused at load", async () => {
    const backend = await webgpu({ device });
    const program = programOf(`
      parameter "table" = %table: f32[5, 3]
      buffer "at" = %at: i64[2]
      user_input %x: f32[3]
      %rows: f32[2, 3] = aten::embedding(weight=%table, indices=%at)
      %y: f32[2, 3] = aten::mul.Tensor(self=%rows, other=%x)  # words (model.py:12, in forward)
      return %y`);
    const request = { program, weights: weightsOf({ table: someFloats(5, 3), at: ints([2], 1, 7) }), registry };
    expect(await failureOf(backend.compile(request))).toMatchObject({
      code: "backend.index-out-of-range",
      where: expect.stringContaining("words, model.py:12, in forward"),
    });
    await backend.dispose();
  });

  test("integers beyond 32 bits are refused with the name of their tensor", async () => {
    const backend = await webgpu({ device });
    const executable = await backend.compile({
      program: programOf("user_input %ids: i64[2]\n %y: i64[2] = aten::neg(self=%ids)\n return %y"),
      weights,
      registry,
    });
    expect(await failureOf(run(executable, ints([2], 1, 2 ** 40)))).toMatchObject({
      code: "webgpu.int64-range",
      what: "%ids holds the int64 1099511627776; on the GPU integers have 32 bits",
    });
    expect(await run(executable, ints([2], 1, -7))).toEqual([[-1, 7]]);
    await backend.dispose();
  });

  test("a range that ends beyond 32 bits is refused", async () => {
    const backend = await webgpu({ device });
    const range = (start: number): Parameters<typeof backend.compile>[0] => ({
      program: programOf(`%y: i64[5] = aten::arange.start_step(start=${start}, end=${start + 5}, step=1)\n return %y`),
      weights,
      registry,
    });
    const last = await backend.compile(range(2 ** 31 - 5));
    expect(await run(last)).toEqual([[2147483643, 2147483644, 2147483645, 2147483646, 2147483647]]);
    expect(await failureOf(backend.compile(range(2 ** 31 - 4)))).toMatchObject({
      code: "webgpu.int64-range",
      what: expect.stringContaining("ends with 2147483648"),
    });
    await backend.dispose();
  });

  test("a view that leaves the memory of its tensor is refused", async () => {
    const program = programOf(`
      user_input %x: f32[4, 3]
      %tail: f32[2, 3] = aten::slice.Tensor(self=%x, dim=0, start=2, end=4)
      %wrong: f32[2, 3] = wrong::twice_as_far(self=%tail)  # head (model.py:7, in forward)
      %y: f32[2, 3] = aten::exp(self=%wrong)
      return %y`);
    const backend = await webgpu({ device });
    const withWrongOp = registryOf([], [{ name: "wrong", ops: [TWICE_AS_FAR] }]);
    expect(await failureOf(backend.compile({ program, weights, registry: withWrongOp }))).toMatchObject({
      code: "backend.view-bounds",
      what: expect.stringContaining("elements 12 to 17 of a buffer of 12"),
      where: expect.stringContaining("head, model.py:7, in forward"),
    });
    await backend.dispose();
  });

  test("a shader that the device refuses is reported with its WGSL", async () => {
    const broken = webgpuKernel({
      ops: ["aten::cumsum"],
      prepare: (call, { self }) => {
        const shader = call.shader("running sum");
        shader.read("x", call.tensor(self)).result("out");
        shader.forEach(6, "set_out(i, x(i) * nothing);");
      },
    });
    const settings = { outputs: "host", narrowFloat64: false, ownsDevice: false } as const;
    const devices = new DeviceSource(deviceOf(device), null);
    const kernels = kernelParts([{ ops: /cumsum/, load: async () => [broken] }, ...KERNEL_PARTS]);
    const backend = new WebgpuBackend({ ...settings, devices, kernels });
    const body = `
      user_input %x: f32[2, 3]
      %y: f32[2, 3] = aten::cumsum(self=%x, dim=1)  # head (model.py:7, in forward)
      return %y`;
    expect(await failureOf(backend.compile({ program: programOf(body), weights, registry }))).toMatchObject({
      code: "webgpu.shader",
      what: expect.stringMatching(/running sum[\s\S]*nothing/),
      where: expect.stringContaining("head, model.py:7, in forward"),
      details: { wgsl: expect.stringContaining("fn main") },
    });
    await backend.dispose();
  });

  test("float64 is refused, unless it may be narrowed", async () => {
    const program = programOf("user_input %x: f64[2]\n %y: f64[2] = aten::exp(self=%x)\n return %y");
    const request = { program, weights, registry };
    const strict = await webgpu({ device });
    expect(await strict.unsupported(program, registry)).not.toEqual([]);
    expect(await failureOf(strict.compile(request))).toMatchObject({ what: expect.stringContaining("float64") });
    const narrow = await webgpu({ device, narrowFloat64: true });
    expect(narrow.capabilities.narrowed).toMatchObject({ float64: "float32" });
    const executable = await narrow.compile(request);
    const x = hostTensor("float64", [2], Float64Array.of(0, 1));
    const [y] = await executable.run([x]);
    expect(y).toMatchObject({ dtype: "float64", shape: [2] });
    const [values] = (await run(executable, x)) as [number[]];
    expect(values[1]).toBeCloseTo(Math.E, 5);
    await Promise.all([strict.dispose(), narrow.dispose()]);
  });

  test("a lack of memory is reported with its place", async () => {
    const own = await openTestDevice();
    const backend = await webgpu({ device: own });
    const pop = own.popErrorScope.bind(own);
    const scopes: GPUErrorFilter[] = [];
    vi.spyOn(own, "pushErrorScope").mockImplementation((filter) => {
      scopes.push(filter);
      GPUDevice.prototype.pushErrorScope.call(own, filter);
    });
    vi.spyOn(own, "popErrorScope").mockImplementation(async () => {
      const told = pop();
      return scopes.pop() === "out-of-memory" ? ({ message: "no room" } as GPUError) : await told;
    });
    const request = { program: programOf(LOOKUP), weights: weightsOf({ table: someFloats(5, 3) }), registry };
    expect(await failureOf(backend.compile(request))).toMatchObject({
      code: "webgpu.out-of-memory",
      what: expect.stringContaining("no room"),
      details: { bytes: expect.any(Number) },
    });
    own.destroy();
  });

  test("a buffer of the user that was destroyed before its use is reported", async () => {
    const own = await openTestDevice();
    const backend = await webgpu({ device: own });
    const program = programOf("user_input %x: f32[4]\n %y: f32[4] = aten::exp(self=%x)\n return %y");
    const executable = await backend.compile({ program, weights, registry });
    const input = await backend.upload(floats([4], 0, 1, 2, 3));
    input.buffer.destroy();
    expect(await failureOf(executable.run([input]))).toMatchObject({ code: "webgpu.refused" });
    expect((await run(executable, floats([4], 0, 0, 0, 0)))[0]).toEqual([1, 1, 1, 1]);
    await backend.dispose();
    own.destroy();
  });
});
