import { type HostTensor, hostTensor } from "@pt2/backend";
import { elementsOf, failureOf, floats, ints, programOf, registryOf, run } from "@pt2/conformance";
import { expect, test } from "vitest";
import { countBuffers } from "../buffers.test-helper.ts";
import { describeWithDevice, openTestDevice } from "../device.test-helper.ts";
import { webgpu } from "../index.ts";
import type { DeviceTensor } from "./device-tensor.ts";

const registry = registryOf();
const DOUBLE = {
  program: programOf(`
    user_input %x: f32[4]
    %y: f32[4] = aten::mul.Scalar(self=%x, other=2)
    return %y`),
  weights: new Map(),
  registry,
};
const x = floats([4], 1, 2, 3, 4);

await describeWithDevice("tensors on the GPU", (device) => {
  test("tensors on the GPU are inputs and outputs without a copy on the host", async () => {
    const backend = await webgpu({ device, outputs: "device" });
    const executable = await backend.compile(DOUBLE);
    const input = await backend.upload(x);
    expect(await elementsOf([input])).toEqual([[1, 2, 3, 4]]);
    const [once] = (await executable.run([input])) as [DeviceTensor];
    const [twice] = (await executable.run([once])) as [DeviceTensor];
    expect(once).toMatchObject({ dtype: "float32", shape: [4], device: "webgpu", data: null });
    // Results are copies, so the second run has not changed the first one's.
    expect(await elementsOf([once, twice])).toEqual([
      [2, 4, 6, 8],
      [4, 8, 12, 16],
    ]);
    twice.dispose();
    expect(await failureOf(twice.read())).toMatchObject({ code: "webgpu.disposed" });
    expect(await failureOf(executable.run([twice]))).toMatchObject({ code: "webgpu.disposed" });
    once.dispose();
    input.dispose();
    await backend.dispose();
  });

  test("tensors on the GPU may be in a buffer of the user", async () => {
    const backend = await webgpu({ device });
    const executable = await backend.compile(DOUBLE);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const buffer = device.createBuffer({ size: 16, usage });
    device.queue.writeBuffer(buffer, 0, Float32Array.of(5, 6, 7, 8));
    const mine = backend.tensor("float32", [4], buffer);
    expect(await run(executable, mine)).toEqual([[10, 12, 14, 16]]);
    mine.dispose();
    device.queue.writeBuffer(buffer, 0, Float32Array.of(1, 1, 1, 1));
    expect(await run(executable, backend.tensor("float32", [4], buffer))).toEqual([[2, 2, 2, 2]]);
    expect(() => backend.tensor("float32", [5], buffer)).toThrow("takes 20 bytes");
    buffer.destroy();
    await backend.dispose();
  });

  test("tensors on the GPU hold every dtype as the backend stores it", async () => {
    const backend = await webgpu({ device });
    const tensors: readonly HostTensor[] = [
      hostTensor("float16", [4], Uint16Array.of(0x3c00, 0xc000, 0x7c00, 1)),
      hostTensor("bfloat16", [4], Uint16Array.of(0x3f80, 0xc000, 0x7f80, 1)),
      hostTensor("int16", [4], Int16Array.of(-32768, 32767, 0, -1)),
      hostTensor("uint8", [4], Uint8Array.of(0, 255, 128, 1)),
      hostTensor("bool", [4], Uint8Array.of(0, 1, 1, 0)),
      ints([4], -(2 ** 31), 2 ** 31 - 1, 0, -1),
    ];
    for (const tensor of tensors) {
      const there = await backend.upload(tensor);
      expect(await there.read(), tensor.dtype).toEqual(tensor.data);
      there.dispose();
    }
    expect(await failureOf(backend.upload(ints([1], 2 ** 31)))).toMatchObject({ code: "webgpu.int64-range" });
    await backend.dispose();
  });

  test("tensors on the GPU of another device are refused", async () => {
    const other = await openTestDevice();
    const [backend, foreign] = [await webgpu({ device }), await webgpu({ device: other })];
    const executable = await backend.compile(DOUBLE);
    const stranger = await foreign.upload(x);
    expect(await failureOf(executable.run([stranger]))).toMatchObject({ code: "backend.foreign-tensor" });
    await Promise.all([backend.dispose(), foreign.dispose()]);
    other.destroy();
  });

  test("only results that are not disposed keep buffers", async () => {
    const buffers = countBuffers(device);
    const backend = await webgpu({ device, outputs: "device" });
    const executable = await backend.compile(DOUBLE);
    const results = [];
    for (let i = 0; i < 5; i++) results.push(...((await executable.run([x])) as DeviceTensor[]));
    await backend.dispose();
    expect(buffers.live).toBe(5);
    expect(await elementsOf(results.slice(0, 1))).toEqual([[2, 4, 6, 8]]);
    for (const tensor of results) tensor.dispose();
    expect(buffers.live).toBe(0);
    buffers.restore();
  });
});
