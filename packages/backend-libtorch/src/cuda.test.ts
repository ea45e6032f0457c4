import { HostTensor, type Tensor, type Value } from "@pt2/backend";
import { describe, expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { hasGpu, skipWithoutGpu } from "./cuda.test-helper.ts";
import { nativeModule } from "./libtorch.test-helper.ts";
import { ACCUMULATE, compileBody, elementsOf } from "./programs.test-helper.ts";

const LAYERS = `
  parameter "weight" = %w: f32[64, 64]
  user_input %x: f32[s0, 64]
  %a: f32[s0, 64] = aten::linear(input=%x, weight=%w)
  %b: f32[s0, 64] = aten::relu(%a)
  %c: f32[s0, 64] = aten::linear(input=%b, weight=%w)
  %d: f32[s0, 64] = aten::sigmoid(%c)
  return %d`;

/** Numbers between -1 and 1 that repeat with each seed. */
function drawn(shape: readonly number[], seed: number): HostTensor {
  const count = shape.reduce((n, size) => n * size, 1);
  const data = Float32Array.from({ length: count }, (_, i) => Math.sin((i + 1) * 12.9898 + seed * 78.233));
  return new HostTensor("float32", shape, new Uint8Array(data.buffer));
}

const WEIGHTS = { weight: drawn([64, 64], 0) };

async function largestDifference(given: Value | undefined, wanted: Value | undefined): Promise<number> {
  const [a, b] = [elementsOf(await (given as Tensor).cpu()), elementsOf(await (wanted as Tensor).cpu())];
  expect(a.length).toBe(b.length);
  return Math.max(...a.map((value, i) => Math.abs(Number(value) - Number(b[i]))));
}

if (hasGpu) describe("CUDA", () => defineTests(nativeModule().addon));
else skipWithoutGpu("CUDA");

function defineTests(addon: ReturnType<typeof nativeModule>["addon"]): void {
  const made = (options: ConstructorParameters<typeof LibtorchBackend>[1] = {}): LibtorchBackend =>
    new LibtorchBackend(addon, { device: "cuda", ...options });

  it("says which GPUs there are", () => {
    const { cuda } = addon.info();
    if (typeof cuda === "string") throw new Error(cuda);
    expect(cuda.version).toMatch(/^\d+\.\d+$/);
    expect(cuda.devices[0]).toEqual({
      name: expect.stringMatching(/./),
      totalBytes: expect.any(Number),
      capability: expect.stringMatching(/^\d+\.\d+$/),
    });
    expect(() => made({ device: `cuda:${cuda.devices.length}` })).toThrow(
      expect.objectContaining({ code: "libtorch.device" }),
    );
  });

  it("gives the results of the CPU, in host memory unless they are to stay", async () => {
    await using cpu = new LibtorchBackend(addon);
    const x = drawn([7, 64], 1);
    const [wanted] = await (await compileBody(cpu, LAYERS, WEIGHTS)).run([x]);
    for (const [precision, cudaKernels] of [
      ["exact", false],
      ["fast", false],
      ["fast", true],
    ] as const) {
      await using gpu = made({ cudaKernels });
      const [given] = await (await compileBody(gpu, LAYERS, WEIGHTS, { precision })).run([x]);
      expect((given as Tensor).device).toBe("host");
      expect(await largestDifference(given, wanted)).toBeLessThan(1e-5);
      await using staying = made({ outputs: "device", cudaKernels });
      const [there] = await (await compileBody(staying, LAYERS, WEIGHTS, { precision })).run([x]);
      expect((there as Tensor).device).toBe("cuda:0");
      expect((there as Tensor).data).toBeNull();
      expect(await largestDifference(there, wanted)).toBeLessThan(1e-5);
      (there as Tensor).dispose();
    }
  });

  it("takes tensors that are there already, its own results among them, and leaves them as they are", async () => {
    await using gpu = made({ outputs: "device" });
    const executable = await compileBody(gpu, LAYERS, WEIGHTS);
    const x = drawn([5, 64], 2);
    const uploaded = await gpu.upload(x);
    expect(uploaded.device).toBe("cuda:0");
    const [once] = await executable.run([uploaded]);
    const [twice] = await executable.run([once!]);
    const [again] = await executable.run([await (once as Tensor).cpu()]);
    expect(await largestDifference(twice, again)).toBe(0);
    expect(elementsOf(await uploaded.cpu())).toEqual(elementsOf(x));
    await using cpu = new LibtorchBackend(addon);
    const onCpu = await compileBody(cpu, LAYERS, WEIGHTS);
    await expect(onCpu.run([uploaded])).rejects.toMatchObject({ code: "libtorch.foreign-tensor" });
  });

  it("runs that overlap have results of their own", async () => {
    await using gpu = made();
    const executable = await compileBody(gpu, LAYERS, WEIGHTS);
    const inputs = Array.from({ length: 64 }, (_, i) => drawn([1 + (i % 9), 64], i));
    const alone: Value[] = [];
    for (const x of inputs) alone.push((await executable.run([x]))[0]!);
    const together = await Promise.all(inputs.map((x) => executable.run([x])));
    for (const [i, [result]] of together.entries()) expect(await largestDifference(result, alone[i])).toBe(0);
  });

  it("recorded runs give the results of other runs, for each set of shapes, also overlapping", async () => {
    await using plain = made({ cudaGraphs: false });
    await using recording = made({ cudaGraphs: true });
    const [each, replayed] = [await compileBody(plain, LAYERS, WEIGHTS), await compileBody(recording, LAYERS, WEIGHTS)];
    const inputs = Array.from({ length: 24 }, (_, i) => drawn([1 + (i % 6), 64], i));
    const results = await Promise.all(inputs.map((x) => replayed.run([x])));
    for (const [i, [result]] of results.entries()) {
      expect(await largestDifference(result, (await each.run([inputs[i]!]))[0])).toBeLessThan(1e-6);
    }
    expect(await replayed.explain()).toMatch(/# recorded, sets of shapes: 4/);
  });

  it("recorded runs that overlap compute in memory of their own", async () => {
    await using plain = made({ cudaGraphs: false });
    await using recording = made({ cudaGraphs: true });
    const each = await compileBody(plain, LAYERS, WEIGHTS);
    // More than there are streams to record on.
    const executables: Awaited<ReturnType<typeof compileBody>>[] = [];
    for (let i = 0; i < 40; i++) executables.push(await compileBody(recording, LAYERS, WEIGHTS));
    const x = drawn([777, 64], 5);
    const [wanted] = await each.run([x]);
    for (let i = 0; i < 2; i++) for (const executable of executables) await executable.run([x]);
    for (let i = 0; i < 20; i++) {
      for (const [result] of await Promise.all(executables.map((executable) => executable.run([x]))))
        expect(await largestDifference(result, wanted)).toBeLessThan(1e-6);
    }
    for (const executable of executables) expect(await executable.explain()).toContain("# recorded, sets of shapes: 1");
  });

  it("a recorded run leaves earlier results as they are, and programs that write buffers run without", async () => {
    await using recording = made({ cudaGraphs: true, outputs: "device" });
    const executable = await compileBody(recording, LAYERS, WEIGHTS);
    const [first] = await executable.run([drawn([3, 64], 1)]);
    const before = elementsOf(await (first as Tensor).cpu());
    for (let seed = 2; seed < 20; seed++) await executable.run([drawn([3, 64], seed)]);
    expect(elementsOf(await (first as Tensor).cpu())).toEqual(before);
    const sum = new HostTensor("float32", [3], new Uint8Array(12));
    const accumulate = await compileBody(recording, ACCUMULATE, { sum });
    const x = new HostTensor("float32", [3], new Uint8Array(Float32Array.of(1, 2, 3).buffer));
    await accumulate.run([x]);
    expect(elementsOf(await ((await accumulate.run([x]))[0] as Tensor).cpu())).toEqual([2, 4, 6]);
  });

  it("a program that cannot be recorded runs without, and leaves random numbers and other recordings as they are", async () => {
    await using gpu = made({ cudaGraphs: true, outputs: "device" });
    const positive = await compileBody(
      gpu,
      `
  user_input %x: f32[s0]
  %mask: bool[s0] = aten::gt.Scalar(%x, other=0)
  %y: f32[u0] = aten::masked_select(%x, mask=%mask)
  return %y`,
    );
    const x = drawn([101], 3);
    const wanted = elementsOf(x).filter((value) => Number(value) > 0);
    for (let i = 0; i < 5; i++) {
      const [result] = await positive.run([x]);
      expect(elementsOf(await (result as Tensor).cpu())).toEqual(wanted);
    }
    expect(await positive.explain()).toContain("# not recorded: ");
    const half = new HostTensor("float32", [64], new Uint8Array(new Float32Array(64).fill(0.5).buffer));
    const drawnBits = await Promise.all(
      [1, 2, 3].map(async () =>
        elementsOf(await ((await gpu.call("aten::bernoulli", { self: half }))[0] as Tensor).cpu()),
      ),
    );
    expect(new Set(drawnBits.map(String)).size).toBe(3);
    const layers = await compileBody(gpu, LAYERS, WEIGHTS);
    const results: Value[] = [];
    for (let i = 0; i < 4; i++) results.push((await layers.run([drawn([5, 64], 7)]))[0]!);
    for (const result of results) expect(await largestDifference(result, results[0])).toBe(0);
    expect(await layers.explain()).toContain("# recorded, sets of shapes: 1");
  });

  it("profiles with the times of the device", async () => {
    await using gpu = made();
    const executable = await compileBody(gpu, LAYERS, WEIGHTS, { precision: "exact" });
    const x = drawn([512, 64], 1);
    await executable.run([x]);
    const profile = await executable.profile([x]);
    const ops = profile.steps.flatMap((step) => step.ops);
    expect(ops).toEqual(["aten::linear", "aten::relu", "aten::linear", "aten::sigmoid"]);
    for (const { ms } of profile.steps) expect(ms).toBeGreaterThan(0);
    expect(await largestDifference(profile.outputs[0], (await executable.run([x]))[0])).toBe(0);
  });

  it("a run that fails leaves the model usable: sizes that do not fit, more memory than there is", async () => {
    await using gpu = made();
    const add = await compileBody(
      gpu,
      `
  user_input %a: f32[s0]
  user_input %b: f32[s1]
  %y: f32[s0] = aten::add.Tensor(%a, other=%b)
  return %y`,
    );
    const [x, other] = [drawn([3], 1), drawn([2], 2)];
    await expect(add.run([x, other])).rejects.toMatchObject({ code: "libtorch.op-failed" });
    expect(elementsOf((await add.run([x, x]))[0])).toEqual(elementsOf(x).map((value) => 2 * Number(value)));
    const large = await compileBody(
      gpu,
      `
  user_input %a: f32[s0]
  %b: f32[4000000000000] = aten::new_zeros(%a, size=[4000000000000])
  %y: f32[] = aten::sum(%b)
  return %y`,
    );
    await expect(large.run([x])).rejects.toMatchObject({ code: "libtorch.out-of-memory" });
    expect(elementsOf((await add.run([x, x]))[0])).toEqual(elementsOf(x).map((value) => 2 * Number(value)));
  });

  it("takes no more memory after thousands of runs, recorded or not, and none after dispose", async () => {
    const live = (): number => addon.memory().devices[0]?.liveBytes ?? 0;
    for (const cudaGraphs of [false, true]) {
      await using gpu = made({ cudaGraphs, outputs: "device" });
      const empty = live();
      const executable = await compileBody(gpu, LAYERS, WEIGHTS);
      const x = await gpu.upload(drawn([32, 64], 1));
      const run = async (): Promise<void> => {
        for (const result of await executable.run([x])) (result as Tensor).dispose();
      };
      for (let i = 0; i < 20; i++) await run();
      const [before, reserved] = [live(), addon.memory().devices[0]!.reservedBytes];
      for (let i = 0; i < 2000; i++) await run();
      expect(live()).toBeLessThanOrEqual(before);
      expect(addon.memory().devices[0]!.reservedBytes).toBeLessThanOrEqual(reserved);
      x.dispose();
      await executable.dispose();
      expect(live()).toBeLessThanOrEqual(empty);
    }
  });
}
