import type { Progress } from "@pt2/backend";
import { floats, ints, programOf, registryOf, run, someFloats, weightsOf } from "@pt2/conformance";
import { expect, test } from "vitest";
import { WebgpuBackend } from "../backend.ts";
import { describeWithDevice } from "../device.test-helper.ts";
import { KERNEL_PARTS } from "../kernels/kernels-on-demand.ts";
import { DeviceSource, deviceOf } from "./device.ts";
import { kernelParts } from "./kernels.ts";

const NET = `
  parameter "w" = %w: f32[16, 8]
  user_input %x: f32[s0, 8]
  %h: f32[s0, 16] = aten::linear(input=%x, weight=%w)
  %a: f32[s0, 16] = aten::relu(self=%h)
  %y: f32[s0, 16] = aten::softmax.int(self=%a, dim=-1)
  return %y`;
const weights = weightsOf({ w: someFloats(16, 8) });
const registry = registryOf();

await describeWithDevice("sizes that change", (gpu) => {
  const device = deviceOf(gpu);
  const settings = { outputs: "host", narrowFloat64: false, ownsDevice: false } as const;
  const kernels = kernelParts(KERNEL_PARTS);
  const backend = new WebgpuBackend({ ...settings, devices: new DeviceSource(device, null), kernels });

  test("plans for different sizes share the compiled shaders", async () => {
    const executable = await backend.compile({ program: programOf(NET), weights, registry });
    await run(executable, someFloats(64, 8));
    const { size } = device.pipelines;
    expect(size).toBeGreaterThan(0);
    for (const rows of [128, 96, 256]) {
      const [flat] = (await run(executable, someFloats(rows, 8))) as [number[]];
      expect(flat).toHaveLength(rows * 16);
      for (let i = 0; i < rows; i++) {
        const sum = flat.slice(16 * i, 16 * i + 16).reduce((a, b) => a + b, 0);
        expect(sum).toBeCloseTo(1, 5);
      }
    }
    expect(device.pipelines.size).toBe(size);
    await executable.dispose();
  });

  test("a warm-up prepares for new sizes, and the run then compiles and allocates nothing", async () => {
    const executable = await backend.compile({ program: programOf(NET), weights, registry });
    const told: Progress[] = [];
    await executable.warmup!([someFloats(40, 8)], { onProgress: (progress) => told.push(progress) });
    expect(told.length).toBeGreaterThan(0);
    expect(told.at(-1)).toEqual({ stage: "compile", done: told.length, total: told.length });
    const [{ size }, explained] = [device.pipelines, await executable.explain()];
    const [flat] = (await run(executable, someFloats(40, 8))) as [number[]];
    expect(flat).toHaveLength(40 * 16);
    expect(device.pipelines.size).toBe(size);
    expect(await executable.explain()).toBe(explained);
    expect(told.at(-1)?.total).toBe(told.length);
    const aborted = executable.warmup!([someFloats(41, 8)], { signal: AbortSignal.abort(new Error("not now")) });
    await expect(aborted).rejects.toThrow("not now");
    await executable.dispose();
  });

  test("what a branch returns is copied out of its memory before that grows for the rest", async () => {
    const program = programOf(`user_input %x: f32[3, 5]
  %sum: f32[] = aten::sum(self=%x)
  %positive: bool[] = aten::gt.Scalar(self=%sum, other=0)
  cond: [%r: f32[5]] = higher_order::cond(%positive, graph yes(%a: f32[3, 5]) {
    %s: f32[5] = aten::sum.dim_IntList(self=%a, dim=[0])
    return %s
  }, graph no(%a: f32[3, 5]) {
    %m: f32[5] = aten::mean.dim(self=%a, dim=[0])
    return %m
  }, [%x])
  %d: f32[3, 5] = aten::mul.Tensor(self=%x, other=2)
  %c: f32[3, 5] = aten::cumsum(self=%d, dim=0)
  %y: f32[3, 5] = aten::add.Tensor(self=%c, other=%r)
  return %y`);
    const executable = await backend.compile({ program, weights: new Map(), registry });
    const ones = floats([3, 5], ...new Array<number>(15).fill(1));
    expect(await run(executable, ones)).toEqual([[5, 7, 9].flatMap((row) => new Array<number>(5).fill(row))]);
    await executable.dispose();
  });

  test("plans for different sizes grow and share the same buffers", async () => {
    const executable = await backend.compile({ program: programOf(NET), weights, registry });
    const small = await run(executable, someFloats(2, 8));
    await run(executable, someFloats(64, 8));
    const { reserved } = await executable.memory();
    expect(await run(executable, someFloats(2, 8))).toEqual(small);
    expect((await executable.memory()).reserved).toBe(reserved);
    await executable.dispose();
  });

  test("numbers that change from call to call make no new plan", async () => {
    const program = programOf(`
      user_input %x: f32[3]
      user_input %t: float
      %a: f32[3] = aten::mul.Scalar(self=%x, other=%t)
      %two: float = _operator::mul(a=%t, b=2.0)
      %b: f32[3] = aten::add.Scalar(self=%a, other=%two)
      return %b, %two`);
    const executable = await backend.compile({ program, weights: new Map(), registry });
    for (let t = 0; t < 200; t++) {
      const results = await run(executable, floats([3], 1, 2, 3), t / 4);
      expect(results).toEqual([[t * 0.75, t, t * 1.25], t / 2]);
    }
    expect((await executable.explain()).match(/^# /gm)).toHaveLength(1);
    await executable.dispose();
  });

  test("sizes may depend on data", async () => {
    const program = programOf(`
      user_input %x: f32[6]
      %mask: bool[6] = aten::gt.Scalar(self=%x, other=0.0)
      %at: i64[u0, 1] = aten::nonzero(self=%mask)
      %flat: i64[u0] = aten::squeeze.dim(self=%at, dim=1)
      %kept: f32[u0] = aten::index.Tensor(self=%x, indices=[%flat])
      %sum: f32[] = aten::sum(self=%kept)
      %n: float = aten::item(self=%sum)
      %scaled: f32[u0] = aten::mul.Scalar(self=%kept, other=%n)
      return %flat, %scaled`);
    const executable = await backend.compile({ program, weights: new Map(), registry });
    const of = (...values: number[]): Promise<readonly unknown[]> => run(executable, floats([6], ...values));
    expect(await of(1, -1, 2, 0, 3, -5)).toEqual([
      [0, 2, 4],
      [6, 12, 18],
    ]);
    expect(await of(-1, -1, -2, -3, 0, 0)).toEqual([[], []]);
    expect(await of(0.5, 0, 0, 0, 0, 0)).toEqual([[0], [0.25]]);
    expect(await of(1, -1, 2, 0, 3, -5)).toEqual([
      [0, 2, 4],
      [6, 12, 18],
    ]);
    await executable.dispose();
  });

  test("loops carry tensors from plan to plan", async () => {
    const program = programOf(`
      user_input %n: i64[]
      user_input %x: f32[4]
      while_loop: [%k: i64[], %y: f32[4]] = higher_order::while_loop(graph more(%i: i64[], %v: f32[4]) {
        %go: bool[] = aten::gt.Scalar(self=%i, other=0)
        return %go
      }, graph body(%i: i64[], %v: f32[4]) {
        %next: i64[] = aten::sub.Tensor(self=%i, other=1)
        %w: f32[4] = aten::mul.Scalar(self=%v, other=2.0)
        return %next, %w
      }, [%n, %x], [])
      return %k, %y`);
    const executable = await backend.compile({ program, weights: new Map(), registry });
    const x = floats([4], 1, 2, 3, 4);
    expect(await run(executable, ints([], 10), x)).toEqual([[0], [1024, 2048, 3072, 4096]]);
    const { reserved } = await executable.memory();
    expect(await run(executable, ints([], 60), x)).toEqual([[0], [1, 2, 3, 4].map((v) => v * 2 ** 60)]);
    // This holds for any number of iterations.
    expect((await executable.memory()).reserved).toBe(reserved);
    await executable.dispose();
  });

  test("nested loops free what they carried", async () => {
    const loop = (n: string, x: string, body: string): string => `[%k${n}: i64[], %y${n}: f32[4]] =
      higher_order::while_loop(graph more(%i: i64[], %v: f32[4]) {
        %go: bool[] = aten::gt.Scalar(self=%i, other=0)
        return %go
      }, graph body(%i: i64[], %v: f32[4]) {
        %next: i64[] = aten::sub.Tensor(self=%i, other=1)
        ${body}
      }, [%n${n}, ${x}], [])`;
    const inner = `
        %two: i64[] = aten::full_like(self=%i, fill_value=2)
        %nb: i64[] = aten::clamp(self=%two, min=0)
        b: ${loop("b", "%v", "%w: f32[4] = aten::add.Scalar(self=%v, other=1)\n return %next, %w")}
        return %next, %yb`;
    const program = programOf(`
      user_input %na: i64[]
      user_input %x: f32[4]
      a: ${loop("a", "%x", inner)}
      return %ka, %ya`);
    const executable = await backend.compile({ program, weights: new Map(), registry });
    const x = floats([4], 1, 2, 3, 4);
    expect(await run(executable, ints([], 3), x)).toEqual([[0], [7, 8, 9, 10]]);
    const { reserved } = await executable.memory();
    expect(await run(executable, ints([], 40), x)).toEqual([[0], [81, 82, 83, 84]]);
    expect((await executable.memory()).reserved).toBe(reserved);
    await executable.dispose();
  });
});
