import { failureOf, floats, programOf, registryOf, run, someFloats, weightsOf } from "@pt2/conformance";
import { describe, expect, test } from "vitest";
import { missingDevice, testGpu } from "../device.test-helper.ts";
import { webgpu } from "../index.ts";
import type { WebgpuExecutable } from "./executable.ts";

/** A program that counts its runs in a buffer. */
const request = {
  program: programOf(`
    parameter "w" = %w: f32[3, 4]
    buffer "count" = %count: f32[]
    user_input %x: f32[2, 4]
    %y: f32[2, 3] = aten::linear(input=%x, weight=%w)
    %z: f32[2, 3] = aten::add.Tensor(self=%y, other=%count)
    %next: f32[] = aten::add.Scalar(self=%count, other=1)
    return %next -> buffer_mutation "count", %z`),
  weights: weightsOf({ w: someFloats(3, 4), count: floats([], 0) }),
  registry: registryOf(),
};
const x = someFloats(2, 4);

describe.skipIf(missingDevice !== "")(`a device that is lost${missingDevice}`, () => {
  test("calls on a lost device fail with a code, and the model recovers on another one", async () => {
    const backend = await webgpu({ adapter: () => testGpu().requestAdapter() });
    const executable = (await backend.compile(request)) as WebgpuExecutable;
    const first = await run(executable, x);
    const before = backend.device;
    before.destroy();
    await before.lost;
    expect(await failureOf(executable.run([x]))).toMatchObject({
      code: "webgpu.device-lost",
      advice: expect.stringContaining("recover()"),
    });
    expect(await failureOf(backend.compile(request))).toMatchObject({ code: "webgpu.device-lost" });
    await executable.recover();
    expect(backend.device).not.toBe(before);
    // The buffer starts again with the file's value.
    expect(await run(executable, x)).toEqual(first);
    await executable.recover();
    expect(await run(executable, x)).not.toEqual(first);
    const again = await backend.compile(request);
    expect(await run(again, x)).toEqual(first);
    await backend.dispose();
  });

  test("a device that is lost during a run fails that run with a code", async () => {
    const backend = await webgpu({ adapter: () => testGpu().requestAdapter() });
    const executable = (await backend.compile(request)) as WebgpuExecutable;
    const running = [executable.run([x]), executable.run([x])];
    backend.device.destroy();
    const outcomes = await Promise.allSettled(running);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "webgpu.device-lost" });
    }
    expect(outcomes.at(-1)).toMatchObject({ status: "rejected" });
    await executable.recover();
    expect(await run(executable, x)).toHaveLength(1);
    await backend.dispose();
  });

  test("a lost device of the user's own cannot be requested again", async () => {
    const adapter = (await testGpu().requestAdapter())!;
    const device = await adapter.requestDevice();
    const backend = await webgpu({ device });
    const executable = (await backend.compile(request)) as WebgpuExecutable;
    device.destroy();
    await device.lost;
    expect(await failureOf(executable.recover())).toMatchObject({
      code: "webgpu.device-lost",
      advice: expect.stringContaining("make a new backend"),
    });
    await backend.dispose();
  });
});
