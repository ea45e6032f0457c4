import { floats, programOf, registryOf, someFloats, weightsOf } from "@pt2/conformance";
import { afterAll, expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import { variantBackend } from "../variants.test-helper.ts";

const registry = registryOf();

await describeWithDevice("an explanation", async () => {
  const backend = await variantBackend("on a CPU");
  afterAll(() => backend.dispose());

  /** Returns its parts: steps of a forward, what happens at load, and the WGSL by name. */
  const explained = async (body: string, weights: Readonly<Record<string, ReturnType<typeof someFloats>>>) => {
    const executable = await backend.compile({ program: programOf(body), weights: weightsOf(weights), registry });
    const parts = (await executable.explain()).split("\n\n// ");
    await executable.dispose();
    const [steps, load = ""] = parts[0]!.split("\n\n") as [string, string?];
    const shaders = new Map(
      parts.slice(1).map((part) => {
        const end = part.indexOf("\n");
        return [part.slice(0, end), part.slice(end + 1)] as const;
      }),
    );
    return { steps: steps.split("\n"), load: load.split("\n"), shaders };
  };

  test("an explanation shows how the weights of a convolution with a batch norm are folded and packed, with every shader", async () => {
    const { steps, load, shaders } = await explained(
      `
      parameter "conv.weight" = %w: f32[8, 4, 3, 3]
      parameter "bn.weight" = %g: f32[8]
      parameter "bn.bias" = %b: f32[8]
      buffer "bn.mean" = %m: f32[8]
      buffer "bn.var" = %v: f32[8]
      user_input %x: f32[1, 4, 6, 6]
      %c: f32[1, 8, 6, 6] = aten::conv2d(input=%x, weight=%w, padding=[1, 1])
      %n: f32[1, 8, 6, 6] = aten::batch_norm(input=%c, weight=%g, bias=%b, running_mean=%m, running_var=%v, training=false, momentum=0.1, eps=0.001, cudnn_enabled=true)
      %r: f32[1, 8, 6, 6] = aten::relu(self=%n)
      return %r`,
      {
        ...{
          "conv.weight": someFloats(8, 4, 3, 3),
          "bn.weight": someFloats(8),
          "bn.bias": someFloats(8),
          "bn.mean": someFloats(8),
        },
        "bn.var": floats([8], 1, 2, 3, 4, 5, 6, 7, 8),
      },
    );
    // Batch norm is folded, so a forward is the convolution with its activation.
    expect(steps).toHaveLength(2);
    expect(load[0]).toMatch(/^# at load: \d+ tensors from weights, \d+ dispatches$/);
    expect(load.length).toBeGreaterThan(2);
    const text = load.join("\n");
    for (const name of ["conv.weight", "bn.weight", "bn.bias", "bn.mean", "bn.var"]) expect(text).toContain(name);
    // The folded weight is only a step on the way to the packed one.
    expect(text).toContain("given back)");
    expect(text).toMatch(/\(\d+ bytes\)$/m);
    const ran = [...steps.slice(1), ...load.slice(1)].map((line) => line.split(" → ")[1]!);
    const names = [...shaders.keys()];
    for (const each of ran) expect(names.some((name) => each.startsWith(name))).toBe(true);
    for (const [name, wgsl] of shaders) {
      expect(ran.some((each) => each.startsWith(name))).toBe(true);
      expect(wgsl).toContain("@compute");
    }
  });

  test("an explanation names a folded constant by its op, once for all readers", async () => {
    const { steps, load } = await explained(
      `
      parameter "w" = %w: f32[4]
      user_input %x: f32[4]
      %e: f32[4] = aten::exp(self=%w)
      %a: f32[4] = aten::mul.Tensor(self=%x, other=%e)
      %s: f32[4] = aten::cumsum(self=%a, dim=0)
      %z: f32[4] = aten::sub.Tensor(self=%s, other=%e)
      return %z`,
      { w: someFloats(4) },
    );
    expect(load).toHaveLength(2);
    expect(load[1]).toMatch(/^a: aten::exp of w → .+ \(16 bytes\)$/);
    expect(steps.join("\n")).not.toContain("exp");
  });

  test("an explanation leaves out a load that computes nothing", async () => {
    const { load } = await explained(
      `
      parameter "w" = %w: f32[4]
      user_input %x: f32[4]
      %z: f32[4] = aten::add.Tensor(self=%x, other=%w)
      return %z`,
      { w: someFloats(4) },
    );
    expect(load).toEqual([""]);
  });
});
