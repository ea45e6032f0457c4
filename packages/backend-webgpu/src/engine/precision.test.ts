import { floats, programOf, registryOf, run, someFloats, weightsOf } from "@pt2/conformance/programs";
import { expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import { webgpu } from "../index.ts";

const program = programOf(`
  parameter "w" = %w: f32[4, 3, 3, 3]
  parameter "g" = %g: f32[4]
  buffer "m" = %m: f32[4]
  buffer "v" = %v: f32[4]
  user_input %x: f32[1, 3, 8, 8]
  %c: f32[1, 4, 8, 8] = aten::conv2d(input=%x, weight=%w, bias=none, stride=[1, 1], padding=[1, 1])
  %n: f32[1, 4, 8, 8] = aten::batch_norm(input=%c, weight=%g, bias=%m, running_mean=%m, running_var=%v, training=false, momentum=0.1, eps=1e-05, cudnn_enabled=true)
  %y: f32[1, 4, 8, 8] = aten::relu(self=%n)
  return %y`);
const weights = weightsOf({
  w: someFloats(4, 3, 3, 3),
  g: someFloats(4),
  m: someFloats(4),
  v: floats([4], 1, 2, 3, 4),
});
const registry = registryOf();
const x = someFloats(1, 3, 8, 8);

await describeWithDevice("precision", (device) => {
  test("exact keeps the batch norm, fast folds it into the convolution; both are right", async () => {
    const backend = await webgpu({ device });
    const [exact, fast] = await Promise.all(
      (["exact", "fast"] as const).map((precision) => backend.compile({ program, weights, registry, precision })),
    );
    const steps = async (executable: typeof exact) => (await executable!.explain()).split("\n\n")[0]!;
    expect(await steps(fast)).toMatch(/aten::(conv2d|convolution) \+ aten::relu/);
    expect(await steps(exact)).not.toMatch(/aten::(conv2d|convolution) \+ aten::relu →/);
    const [[a], [b]] = [(await run(exact!, x)) as [number[]], (await run(fast!, x)) as [number[]]];
    for (const [i, value] of a.entries()) expect(value).toBeCloseTo(b[i]!, 4);
    await backend.dispose();
  });

  test("profile gives each step its time on the GPU", async () => {
    const backend = await webgpu({ device });
    const executable = await backend.compile({ program, weights, registry });
    const { steps, outputs } = await executable.profile([x]);
    expect(outputs).toHaveLength(1);
    expect(steps.map(({ ops }) => ops.at(-1))).toEqual(["aten::relu"]);
    for (const { ms, startMs } of steps) {
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(startMs).toBeGreaterThanOrEqual(0);
    }
    await backend.dispose();
  });
});
