import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { hostTensor } from "@pt2/backend";
import { floats } from "@pt2/conformance";
import { expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { ACCUMULATE, compileBody, ENDLESS, elementsOf } from "./programs.test-helper.ts";

/** Matrix products that take a while together. */
const chain = (length: number): string => {
  const nodes = Array.from({ length }, (_, i) => `  %m${i + 1}: f32[512, 512] = aten::mm(%m${i}, mat2=%m0)`);
  return ["  user_input %m0: f32[512, 512]", ...nodes, `  return %m${length}`].join("\n");
};
const square = hostTensor("float32", [512, 512], new Float32Array(512 * 512).fill(1 / 512));

const ADD = `
  parameter "w" = %w: f32[3]
  user_input %x: f32[3]
  %y: f32[3] = aten::add.Tensor(%x, other=%w)
  return %y`;
const x = floats([3], 1, 2, 3);

const WRITES_ENDLESSLY = ENDLESS.replace("user_input", 'buffer "sum" = %sum: f32[1]\n  user_input').replace(
  "return %y",
  "%total: f32[1] = aten::add_.Tensor(%sum, other=%y)\n  return %y",
);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

describeWithLibtorch("executables", ({ addon }) => {
  const backend = new LibtorchBackend(addon, { threads: 1 });

  it("a run does not block its caller, and an abort stops it between two nodes, with the signal's reason", async () => {
    const executable = await compileBody(backend, ENDLESS);
    const controller = new AbortController();
    const reason = new Error("not needed any more");
    const run = executable.run([floats([1], 1)], { signal: controller.signal });
    // The loop ends by nothing else: a run that held up this thread would hold up the timer too.
    setTimeout(() => controller.abort(reason), 5);
    await expect(run).rejects.toBe(reason);
    await executable.dispose();
  });

  it("an aborted run leaves buffers as they were", async () => {
    const executable = await compileBody(backend, ACCUMULATE, { sum: floats([3], 0, 0, 0) });
    const controller = new AbortController();
    const first = executable.run([x]);
    const second = executable.run([x], { signal: controller.signal });
    controller.abort(new Error("no"));
    await expect(second).rejects.toThrow("no");
    await first;
    expect(elementsOf((await executable.run([x]))[0])).toEqual([2, 4, 6]);
    await executable.dispose();
  });

  it("a run that waits for one before is aborted at once", async () => {
    const executable = await compileBody(backend, WRITES_ENDLESSLY, { sum: floats([1], 0) });
    const [first, second] = [new AbortController(), new AbortController()];
    const under = executable.run([floats([1], 1)], { signal: first.signal });
    const waiting = executable.run([floats([1], 1)], { signal: second.signal });
    second.abort(new Error("never mind"));
    // Nothing else ends the run before.
    await expect(waiting).rejects.toThrow("never mind");
    first.abort(new Error("enough"));
    await expect(under).rejects.toThrow("enough");
    await executable.dispose();
  });

  it("runs on the calling thread give the same results, and commit their writes as well", async () => {
    const add = await compileBody(backend, ADD, { w: floats([3], 1, 1, 1) });
    expect(elementsOf(add.runSync([x])[0])).toEqual([2, 3, 4]);
    const accumulate = await compileBody(backend, ACCUMULATE, { sum: floats([3], 0, 0, 0) });
    accumulate.runSync([x]);
    expect(elementsOf(accumulate.runSync([x])[0])).toEqual([2, 4, 6]);
    const pending = accumulate.run([x]);
    expect(() => accumulate.runSync([x])).toThrow(expect.objectContaining({ code: "libtorch.busy" }));
    await pending;
    await Promise.all([add.dispose(), accumulate.dispose()]);
    expect(() => add.runSync([x])).toThrow(expect.objectContaining({ code: "libtorch.disposed" }));
  });

  it("results go back in without a copy, and views of inputs are results of their own", async () => {
    const executable = await compileBody(
      backend,
      `
  user_input %x: f32[2, 2]
  %t: f32[2, 2] = aten::t(%x)
  return %t, %x`,
    );
    const given = floats([2, 2], 1, 2, 3, 4);
    const [transposed, same] = await executable.run([given]);
    (given.data as Float32Array).fill(0);
    expect([elementsOf(transposed), elementsOf(same)]).toEqual([
      [1, 3, 2, 4],
      [1, 2, 3, 4],
    ]);
    const [again] = await executable.run([transposed!]);
    expect(elementsOf(again)).toEqual([1, 2, 3, 4]);
    await executable.dispose();
  });

  it("recorded runs give the results of other runs; a program that cannot be recorded runs without", async () => {
    const recording = new LibtorchBackend(addon, { cudaGraphs: true });
    const double = await compileBody(
      recording,
      `
  user_input %x: f32[s0]
  %y: f32[s0] = aten::mul.Tensor(%x, other=2)
  return %y`,
    );
    for (const given of [x, floats([3], 4, 5, 6), x, floats([2], 7, 8), floats([2], 9, 0), floats([2], 1, 2)]) {
      const twice = elementsOf(given).map((value) => 2 * Number(value));
      expect(elementsOf((await double.run([given]))[0])).toEqual(twice);
    }
    expect(await double.explain()).toContain("# recorded, sets of shapes: 2");
    const accumulate = await compileBody(recording, ACCUMULATE, { sum: floats([3], 0, 0, 0) });
    await accumulate.run([x]);
    expect(elementsOf((await accumulate.run([x]))[0])).toEqual([2, 4, 6]);
    const own = await compileBody(
      recording,
      `
  parameter "weight" = %w: f32[2, 3]
  user_input %x: f32[3]
  %y: f32[2] = aten::linear(input=%x, weight=%w)
  return %y`,
      { weight: floats([2, 3], 1, 0, 0, 0, 1, 1) },
      { precision: "fast" },
    );
    for (let i = 0; i < 3; i++) expect(elementsOf((await own.run([x]))[0])).toEqual([1, 5]);
    expect(await own.explain()).toMatch(/# recorded, sets of shapes: 1(.|\n)*pt2::linear/);
    await recording.dispose();
  });

  it("an error names the op, the module and the line", async () => {
    const executable = await compileBody(
      backend,
      `
  user_input %a: f32[s0]
  user_input %b: f32[s1]
  %y: f32[s0] = aten::add.Tensor(%a, other=%b)  # head.act (model.py:41, in forward)
  return %y`,
    );
    await expect(executable.run([x, floats([2], 1, 2)])).rejects.toMatchObject({
      code: "libtorch.op-failed",
      what: expect.stringMatching(/aten::add\.Tensor: The size of tensor a \(3\) must match/),
      where: expect.stringContaining("model.py:41"),
    });
    expect(elementsOf((await executable.run([x, x]))[0])).toEqual([2, 4, 6]);
    await executable.dispose();
  });

  it.each([
    ["exact", 24],
    ["fast", 12],
  ] as const)("weights are those that runs read, with what was computed at load: %s", async (precision, bytes) => {
    const body = `
  parameter "v" = %v: f32[3]
  parameter "w" = %w: f32[3]
  user_input %x: f32[3]
  %s: f32[3] = aten::mul.Tensor(%v, other=%w)
  %y: f32[3] = aten::mul.Tensor(%x, other=%s)
  return %y`;
    const executable = await compileBody(backend, body, { v: x, w: x }, { precision });
    expect((await executable.memory()).weights).toBe(bytes);
    expect(elementsOf((await executable.run([x]))[0])).toEqual([1, 8, 27]);
    await executable.dispose();
  });

  it("a profile has a step per node; memory and explain answer", async () => {
    const executable = await compileBody(backend, chain(3));
    const { steps, totalMs } = await executable.profile([square]);
    expect(steps.map(({ ops }) => ops)).toEqual([["aten::mm"], ["aten::mm"], ["aten::mm"]]);
    expect(steps.reduce((sum, { ms }) => sum + ms, 0)).toBeLessThanOrEqual(totalMs);
    expect((await executable.memory()).activations).toBeGreaterThanOrEqual(2 * 512 * 512 * 4);
    expect(await executable.explain()).toContain("3 × pt2::matmul");
    await executable.dispose();
  });

  it("forwards, with and without writes, leave libtorch's memory as it was", async () => {
    const executables = [
      await compileBody(
        backend,
        `
  user_input %x: f32[512, 512]
  %y: f32[512, 512] = aten::neg(%x)
  return %y`,
      ),
      await compileBody(
        backend,
        `
  buffer "sum" = %sum: f32[512, 512]
  user_input %x: f32[512, 512]
  %total: f32[512, 512] = aten::add_.Tensor(%sum, other=%x)
  return %total`,
        { sum: square },
      ),
    ];
    const forwards = async (rounds: number): Promise<void> => {
      for (let i = 0; i < rounds; i++) for (const executable of executables) await executable.run([square]);
    };
    /** What results hold is given back by the collector, in a later turn. */
    const live = (): number => {
      collectGarbage();
      return addon.memory().liveBytes;
    };
    await forwards(1);
    const before = live();
    await forwards(100);
    await expect.poll(live).toBeLessThanOrEqual(before);
    for (const executable of executables) await executable.dispose();
  });
});
