import { expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import type { Dispatch } from "../shader/dispatch.ts";
import { Pipelines } from "./pipelines.ts";
import { ShaderNames } from "./shader-names.ts";

/** Makes a shader that writes a number, which is all that its text differs in. */
function writing(number: number): Dispatch {
  const code = `
    @group(0) @binding(0) var<storage, read_write> to: array<u32>;
    @compute @workgroup_size(1) fn main() { to[0] = ${number}u; }`;
  return { name: "write", code, reads: [], writes: [0], params: null, workgroups: [1, 1, 1] } as unknown as Dispatch;
}

await describeWithDevice("compiled shaders", (gpu) => {
  test("shaders of one text are compiled once, and beyond a limit the least recently used is dropped", async () => {
    const pipelines = new Pipelines(gpu, 2);
    const [first, second] = [pipelines.get(writing(1)), pipelines.get(writing(2))];
    expect(pipelines.get(writing(1))).toBe(first);
    await Promise.all([first, second, pipelines.get(writing(3))]);
    expect(pipelines.size).toBe(2);
    expect(pipelines.get(writing(1))).toBe(first);
    expect(pipelines.get(writing(2))).not.toBe(second);
    expect((await pipelines.get(writing(2))).pipeline).toBeInstanceOf(GPUComputePipeline);
    for (let number = 0; number < 50; number++) await pipelines.get(writing(number));
    expect(pipelines.size).toBe(2);
  });

  test("shaders that fail to compile are forgotten, and fail again", async () => {
    const pipelines = new Pipelines(gpu, 2);
    const wrong = { ...writing(1), code: "no shader" };
    for (let i = 0; i < 2; i++) {
      await expect(pipelines.get(wrong)).rejects.toMatchObject({ code: "webgpu.shader" });
      expect(pipelines.size).toBe(0);
    }
  });
});

test("shaders of one name are distinguished by a number, and keep it", () => {
  const names = new ShaderNames();
  expect([1, 2, 1].map((number) => names.of(writing(number)))).toEqual(["write", "write (2)", "write"]);
});
