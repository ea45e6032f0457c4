import { hostTensor } from "@pt2/backend";
import { failureOf, programOf, registryOf, run, someFloats, weightOf, weightsOf } from "@pt2/conformance";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WebgpuBackend } from "../backend.ts";
import { type BufferCounts, countBuffers } from "../buffers.test-helper.ts";
import { describeWithDevice } from "../device.test-helper.ts";
import { webgpu } from "../index.ts";

const NET = programOf(`
  parameter "w1" = %w1: f32[16, 8]
  parameter "w2" = %w2: f32[4, 16]
  user_input %x: f32[3, 8]
  %h: f32[3, 16] = aten::linear(input=%x, weight=%w1)
  %a: f32[3, 16] = aten::gelu(self=%h)
  %m: f32[3, 1] = aten::mean.dim(self=%a, dim=[1], keepdim=true)
  %d: f32[3, 16] = aten::sub.Tensor(self=%a, other=%m)
  %y: f32[3, 4] = aten::linear(input=%d, weight=%w2)
  return %y`);
const TENSORS = { w1: someFloats(16, 8), w2: someFloats(4, 16) };
const request = { program: NET, weights: weightsOf(TENSORS), registry: registryOf() };
const x = someFloats(3, 8);

await describeWithDevice("memory", (device) => {
  let backend: WebgpuBackend;
  let buffers: BufferCounts;
  beforeAll(async () => {
    backend = await webgpu({ device });
    buffers = countBuffers(device);
  });
  afterAll(async () => {
    await backend.dispose();
    buffers.restore();
  });

  test("the second forward creates no buffer, and a thousand leave memory unchanged", async () => {
    const executable = await backend.compile(request);
    const first = await run(executable, x);
    const { made, bytes } = buffers;
    const before = await executable.memory();
    for (let i = 0; i < 1000; i++) await executable.run([x]);
    expect(await run(executable, x)).toEqual(first);
    expect(buffers.made).toBe(made);
    expect(buffers.bytes).toBe(bytes);
    expect(await executable.memory()).toEqual(before);
    expect(before.reserved).toBe(bytes);
    await executable.dispose();
    expect(buffers.live).toBe(0);
  });

  test("fifty loads and disposals leave no buffers", async () => {
    for (let i = 0; i < 50; i++) {
      const executable = await backend.compile(request);
      await executable.run([x]);
      await executable.dispose();
    }
    expect(buffers.live).toBe(0);
  });

  test("a load that fails leaves no buffers", async () => {
    const broken = weightOf("w2", TENSORS.w2);
    const read = (): Promise<never> => Promise.reject(new Error("the network is gone"));
    const weights = new Map(request.weights).set("w2", { ...broken, storage: { ...broken.storage, read } });
    expect(String(await failureOf(backend.compile({ ...request, weights })))).toContain("the network is gone");
    expect(buffers.live).toBe(0);
  });

  test("a load that is aborted while weights are read leaves no buffers", async () => {
    const controller = new AbortController();
    const w2 = weightOf("w2", TENSORS.w2);
    const read: typeof w2.storage.read = async (options) => {
      controller.abort(new Error("never mind"));
      options?.signal?.throwIfAborted();
      return await w2.storage.read(options);
    };
    const weights = new Map(request.weights).set("w2", { ...w2, storage: { ...w2.storage, read } });
    const loading = backend.compile({ ...request, weights, signal: controller.signal });
    expect(String(await failureOf(loading))).toContain("never mind");
    expect(buffers.live).toBe(0);
  });

  test("an aborted run changes nothing, and the next one is right", async () => {
    const executable = await backend.compile(request);
    const expected = await run(executable, x);
    const { live } = buffers;
    const controller = new AbortController();
    const running = executable.run([x], { signal: controller.signal });
    controller.abort(new Error("never mind"));
    expect(String(await failureOf(running))).toContain("never mind");
    expect(await run(executable, x)).toEqual(expected);
    expect(buffers.live).toBe(live);
    await executable.dispose();
  });

  test("runs that overlap each have their own results", async () => {
    const executable = await backend.compile(request);
    const inputs = Array.from({ length: 8 }, (_, i) =>
      hostTensor(
        "float32",
        x.shape,
        (x.data as Float32Array).map((value) => value * (i + 1)),
      ),
    );
    const alone: unknown[] = [];
    for (const input of inputs) alone.push(await run(executable, input));
    expect(await Promise.all(inputs.map((input) => run(executable, input)))).toEqual(alone);
    await executable.dispose();
  });
});
