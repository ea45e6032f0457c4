import { floats, programOf, registryOf, run, someFloats, weightsOf } from "@pt2/conformance";
import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
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
const tensors = { w: someFloats(4, 3, 3, 3), g: someFloats(4), m: someFloats(4), v: floats([4], 1, 2, 3, 4) };
const weights = weightsOf(tensors);
const registry = registryOf();
const x = someFloats(1, 3, 8, 8);

/** Computes the program in double precision. */
function inDouble(): readonly number[] {
  const [w, g, m, v, image] = [tensors.w, tensors.g, tensors.m, tensors.v, x].map(({ data }) =>
    Array.from(data, Number),
  );
  const pixel = (c: number, row: number, column: number): number =>
    row < 0 || row > 7 || column < 0 || column > 7 ? 0 : image![(c * 8 + row) * 8 + column]!;
  return Array.from({ length: 4 * 64 }, (_, i) => {
    const [channel, row, column] = [Math.floor(i / 64), Math.floor(i / 8) % 8, i % 8];
    let sum = 0;
    for (let tap = 0; tap < 27; tap++) {
      const [c, down, right] = [Math.floor(tap / 9), (Math.floor(tap / 3) % 3) - 1, (tap % 3) - 1];
      sum += w![channel * 27 + tap]! * pixel(c, row + down, column + right);
    }
    const normal = ((sum - m![channel]!) / Math.sqrt(v![channel]! + 1e-5)) * g![channel]! + m![channel]!;
    return Math.max(normal, 0);
  });
}

await describeWithDevice("precision", (device) => {
  test("exact keeps the batch norm and fast folds it into the convolution; both compute the program", async () => {
    const backend = await webgpu({ device });
    const [exact, fast] = await Promise.all(
      (["exact", "fast"] as const).map((precision) => backend.compile({ program, weights, registry, precision })),
    );
    const steps = async (executable: typeof exact) => (await executable!.explain()).split("\n\n")[0]!;
    expect(await steps(fast)).toMatch(/aten::(conv2d|convolution) \+ aten::relu/);
    expect(await steps(exact)).not.toMatch(/aten::(conv2d|convolution) \+ aten::relu →/);
    for (const executable of [exact, fast]) {
      const [actual] = (await run(executable!, x)) as [number[]];
      expect(worstError(actual, inDouble(), ABSOLUTE)).toBeLessThan(5e-5);
    }
    await backend.dispose();
  });

  test("a profile names the ops of each step", async () => {
    const backend = await webgpu({ device });
    const executable = await backend.compile({ program, weights, registry });
    const { steps, outputs } = await executable.profile([x]);
    expect(outputs).toHaveLength(1);
    expect(steps.map(({ ops }) => ops.at(-1))).toEqual(["aten::relu"]);
    await backend.dispose();
  });

  test("a profile has the steps in the order in which they ran", async () => {
    const backend = await webgpu({ device });
    const products = programOf(`
      user_input %x: f32[16, 16]
      %a: f32[16, 16] = aten::mm(self=%x, mat2=%x)
      %b: f32[16, 16] = aten::softmax.int(self=%a, dim=1)
      %c: f32[16, 16] = aten::mm(self=%b, mat2=%x)
      return %c`);
    const executable = await backend.compile({ program: products, weights: new Map(), registry });
    const { steps } = await executable.profile([someFloats(16, 16)]);
    expect(steps).toHaveLength(3);
    let end = 0;
    for (const { startMs, ms } of steps) {
      // A step reads what the one before it wrote, so it starts when that is done; times are whole nanoseconds.
      expect(startMs).toBeGreaterThanOrEqual(end - 1e-6);
      expect(ms).toBeGreaterThanOrEqual(0);
      end = startMs! + ms!;
    }
    await backend.dispose();
  });
});
