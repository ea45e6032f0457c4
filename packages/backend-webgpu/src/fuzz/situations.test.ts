import { HostTensor, hostTensor, type Value } from "@pt2/backend";
import { failureOf, ints, programOf, registryOf, run, someFloats } from "@pt2/conformance";
import type { Program } from "@pt2/graph";
import { expect, test } from "vitest";
import { countBuffers } from "../buffers.test-helper.ts";
import { describeWithDevice, openTestDevice } from "../device.test-helper.ts";
import { countingInputs, countingProgram } from "../engine/counting-program.test-helper.ts";
import type { DeviceTensor } from "../engine/device-tensor.ts";
import type { WebgpuExecutable } from "../engine/executable.ts";
import { webgpu } from "../index.ts";

const registry = registryOf();
const request = countingProgram(4);
const inputs = countingInputs(4);
const EXP = {
  program: programOf("user_input %x: f32[4]\n %y: f32[4] = aten::exp(self=%x)\n return %y"),
  weights: new Map(),
  registry,
};

await describeWithDevice("a backend in unlucky situations", (device) => {
  test("a backend may be disposed while it loads", async () => {
    const buffers = countBuffers(device);
    const backend = await webgpu({ device });
    const loading = Promise.allSettled([backend.compile(request), backend.compile(EXP)]);
    await backend.dispose();
    const outcomes = await loading;
    for (const load of outcomes)
      expect(load).toMatchObject({ status: "rejected", reason: { code: "webgpu.disposed" } });
    expect(buffers.live).toBe(0);
    await backend.dispose();
    expect(await failureOf(backend.compile(request))).toMatchObject({ code: "webgpu.disposed" });
    expect(await failureOf(backend.upload(someFloats(4)))).toMatchObject({ code: "webgpu.disposed" });
    buffers.restore();
  });

  test("a model may be disposed while it runs, and again, and refuses runs afterwards", async () => {
    const buffers = countBuffers(device);
    const backend = await webgpu({ device });
    const model = (await backend.compile(request)) as WebgpuExecutable;
    const running = model.run(inputs);
    await Promise.all([model.dispose(), model.dispose()]);
    expect(await running).toHaveLength(1);
    expect(buffers.live).toBe(0);
    for (const call of [
      () => model.run(inputs),
      () => model.warmup(inputs),
      () => model.profile(inputs),
      () => model.memory(),
      () => model.explain(),
      () => model.recover(),
    ]) {
      expect(await failureOf(call())).toMatchObject({ code: "webgpu.disposed" });
    }
    await model.dispose();
    await backend.dispose();
    buffers.restore();
  });

  test("two models on one device do not affect each other", async () => {
    const [one, other] = [await webgpu({ device }), await webgpu({ device })];
    const models = [await one.compile(request), await one.compile(request), await other.compile(request)];
    const [first] = (await run(models[0]!, ...inputs)) as [number[]];
    await run(models[0]!, ...inputs);
    await one.dispose();
    expect((await run(models[2]!, ...inputs))[0]).toEqual(first);
    await other.dispose();
  });

  test("tensors with a wrong length, and buffers that cannot be read, are refused", async () => {
    const own = await openTestDevice();
    const backend = await webgpu({ device: own, outputs: "device" });
    const x = await backend.upload(someFloats(4));
    expect(await failureOf(backend.upload(new HostTensor("float32", [3], someFloats(4).bytes)))).toMatchObject({
      code: "backend.tensor-data",
    });
    const doubles = hostTensor("float64", [1], Float64Array.of(1));
    expect(await failureOf(backend.upload(doubles))).toMatchObject({ code: "webgpu.dtype" });
    const staging = own.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    expect(() => backend.tensor("float32", [4], staging)).toThrow("COPY_SRC");
    for (const size of [-4, 0.5, Number.NaN])
      expect(() => backend.tensor("float32", [size], x.buffer)).toThrow("cannot be");
    expect(() => backend.tensor("complex32", [1], x.buffer)).toThrow("complex32");

    const model = await backend.compile(EXP);
    const [y] = (await model.run([x])) as [DeviceTensor];
    x.dispose();
    x.dispose();
    expect(await failureOf(x.read())).toMatchObject({ code: "webgpu.disposed" });
    expect(await failureOf(model.run([x]))).toMatchObject({ code: "webgpu.disposed" });
    await backend.dispose();
    // Results are the user's own.
    expect(await y.read()).toHaveLength(4);
    own.destroy();
    await own.lost;
    expect(await failureOf(y.read())).toMatchObject({ code: "webgpu.device-lost" });
    y.dispose();
  });

  test("200 loads leave neither buffers nor pipelines behind", async () => {
    const buffers = countBuffers(device);
    const backend = await webgpu({ device });
    const { createComputePipelineAsync } = device;
    let compiled = 0;
    device.createComputePipelineAsync = (descriptor) => {
      compiled++;
      return createComputePipelineAsync.call(device, descriptor);
    };
    await run(await backend.compile(request), ...inputs);
    const [live, shaders] = [buffers.live, compiled];
    for (let i = 0; i < 200; i++) {
      const model = await backend.compile(countingProgram(4));
      await model.run(inputs);
      await model.dispose();
    }
    expect([buffers.live, compiled]).toEqual([live, shaders]);
    device.createComputePipelineAsync = createComputePipelineAsync;
    await backend.dispose();
    buffers.restore();
  });

  test.each([
    ["that data decide", "%go: bool[] = aten::ge.Scalar(self=%i, other=0)\n return %go"],
    ["that is written down", "%go: bool[] = aten::full(size=[], fill_value=true)\n return %go"],
    ["that is not a tensor", "return true"],
  ])("an endless loop can be aborted, with a condition %s", async (_, condition) => {
    const backend = await webgpu({ device });
    const program = programOf(`
      user_input %x: i64[]
      loop: [%y: i64[]] = higher_order::while_loop(graph more(%i: i64[]) {
        ${condition}
      }, graph body(%i: i64[]) {
        %n: i64[] = aten::bitwise_and.Scalar(self=%i, other=1)
        return %n
      }, [%x], [])
      return %y`);
    const model = await backend.compile({ program, weights: new Map(), registry });
    const signal = AbortSignal.timeout(200);
    const { reserved } = await model.memory();
    expect(await failureOf(model.run([ints([], 0)], { signal }))).toBe(signal.reason);
    expect((await model.memory()).reserved).toBeLessThan(reserved + 4096);
    await backend.dispose();
  });

  test("names from files are data in labels, errors and texts", async () => {
    const backend = await webgpu({ device });
    const shadersOf = async (name: string): Promise<string> => {
      const program = renamed(request.program, name);
      const weights = new Map([...request.weights].map(([target, weight]) => [target + name, weight]));
      const model = (await backend.compile({ ...request, program, weights })) as WebgpuExecutable;
      expect(await run(model, ...inputs)).toHaveLength(1);
      const text = await model.explain();
      await model.dispose();
      return text.slice(text.indexOf("\n// "));
    };
    const shaders = await shadersOf("");
    expect(shaders).toContain("fn main");
    const names = ["a\nb", "a\0b", "*/ fn main() {} /*", "\ud800", "<img src=x>", "$" + "{x}`", "x".repeat(100_000)];
    for (const name of names) expect(await shadersOf(name)).toBe(shaders);
    await backend.dispose();
  });

  test("long programs, and those with thousands of inputs and outputs, are planned", async () => {
    const backend = await webgpu({ device });
    const COUNT = 2000;
    const list = Array.from({ length: COUNT }, (_, i) => i);
    const chain = list.map((i) => `%v${i + 1}: f32[4, 4] = aten::softmax.int(self=%v${i}, dim=1)`).join("\n");
    const deep = programOf(`user_input %v0: f32[4, 4]\n${chain}\nreturn %v${COUNT}`);
    const wide = programOf(`${list.map((i) => `user_input %x${i}: f32[3]`).join("\n")}
      ${list.map((i) => `%y${i}: f32[3] = aten::exp(self=%x${i})`).join("\n")}
      return ${list.map((i) => `%y${i}`).join(", ")}`);
    const many: readonly (readonly [Program, readonly Value[], number])[] = [
      [deep, [someFloats(4, 4)], 1],
      [wide, list.map(() => someFloats(3)), COUNT],
    ];
    for (const [program, given, results] of many) {
      const model = await backend.compile({ program, weights: new Map(), registry });
      expect(await model.run(given)).toHaveLength(results);
      await model.dispose();
    }
    await backend.dispose();
  });
});

/**
 * Returns the program with a part added to the names that a file gives: of nodes, modules, lines, weights and buffers.
 */
function renamed(program: Program, part: string): Program {
  const target = <T extends object>(spec: T): T =>
    "target" in spec && typeof spec.target === "string" ? { ...spec, target: spec.target + part } : spec;
  const nodes = program.graph.nodes.map((node) => ({
    ...node,
    name: node.name + part,
    origin: { line: part, module: part },
  }));
  return {
    ...program,
    inputs: program.inputs.map(target),
    outputs: program.outputs.map(target),
    graph: { ...program.graph, nodes },
  };
}
