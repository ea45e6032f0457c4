import { parse } from "@pt2/graph";
import { expect, test } from "vitest";
import { elementsOf, HostDeviceEngine } from "../plan/host-device.test-helper.ts";
import { GraphRunner } from "./graph-runner.ts";
import { fromRunValue, toRunValues } from "./host-values.ts";
import { type HostData, isDeviceData, type RunValue } from "./run-value.ts";

const program = (body: string) => parse(`program "TRAINING" torch "2.13.0" {\n  forward()\n  ${body.trim()}\n}\n`);

const floats = (...values: readonly number[]): HostData => ({
  dtype: "float32",
  shape: [values.length],
  bytes: new Uint8Array(Float32Array.from(values).buffer),
});

/** Runs inputs one after the other on one engine, and fetches the results. */
async function runAll(body: string, runs: readonly (readonly RunValue[])[]) {
  const engine = new HostDeviceEngine();
  const runner = new GraphRunner(program(body).graph, engine);
  const results: unknown[] = [];
  for (const inputs of runs) {
    const outputs = await runner.run(inputs);
    engine.log.push("done");
    results.push((await engine.fetch(outputs.filter(isDeviceData))).map(elementsOf));
  }
  return { results, log: engine.log, runner };
}

test("results stay on the device until they are read, and shapes are planned once", async () => {
  const body = `
  user_input %x: f32[2]
  %y: f32[2] = aten::mul.Tensor(self=%x, other=%x)
  return %y`;
  const { results, log, runner } = await runAll(body, [[floats(1, 2)], [floats(3, 4)]]);
  expect(results).toEqual([[[1, 4]], [[9, 16]]]);
  expect(log).toEqual(["plan", "done", "fetch float32[2]", "done", "fetch float32[2]"]);
  runner.release();
  expect(log.at(-1)).toBe("release");
  expect(runner.stages).toBe(0);
});

test("a loop carries its tensors on the device, and only conditions are copied to the host", async () => {
  const body = `
  user_input %x: f32[1]
  while_loop: [%y: f32[1]] = higher_order::while_loop(graph more(%a: f32[1]) {
      %c: bool[1] = aten::lt.Scalar(self=%a, other=10)
      return %c
    }, graph body(%b: f32[1]) {
      %d: f32[1] = aten::add.Tensor(self=%b, other=%b)
      return %d
    }, [%x], [])
  %z: f32[1] = aten::neg(self=%y)
  return %z`;
  const { results, log, runner } = await runAll(body, [[floats(3)]]);
  expect(results).toEqual([[[-12]]]);
  expect(log.filter((line) => line !== "plan")).toEqual([
    "fetch bool[1]",
    "fetch bool[1]",
    "fetch bool[1]",
    "done",
    "fetch float32[1]",
  ]);
  expect(runner.stages).toBe(4);
});

test("an op whose result depends on data gets it on the host", async () => {
  const body = `
  user_input %x: f32[1]
  %s: float = aten::item(self=%x)
  %y: f32[1] = aten::mul.Tensor(self=%x, other=%s)
  return %y`;
  const { results, runner } = await runAll(body, [[floats(3)], [floats(4)]]);
  expect(results).toEqual([[[9]], [[16]]]);
  expect(runner.stages).toBe(2);
});

test("tensors of the backend's own device are accepted and returned without a copy, and those of others are refused", () => {
  const { graph, inputs, ...rest } = program("user_input %x: f32[2]\n  return %x");
  const tensor = {
    ...(fromRunValue(floats(1, 2)) as object),
    device: "mine:0",
    bytes: null,
  } as unknown as Parameters<typeof toRunValues>[1][number];
  const handle = {};
  const accept = () => ({ dtype: "float32" as const, shape: [2], handle });
  const [given] = toRunValues({ graph, inputs, ...rest }, [tensor], { name: "mine", accept });
  expect(given).toMatchObject({ handle });
  expect(fromRunValue(given!, () => tensor as never)).toBe(tensor);
  expect(() => toRunValues({ graph, inputs, ...rest }, [tensor], { name: "mine", accept: () => null })).toThrow(
    expect.objectContaining({ code: "backend.foreign-tensor" }),
  );
});
