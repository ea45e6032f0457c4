import { contiguousStrides } from "@pt2/format";
import { parse } from "@pt2/graph";
import { describe, expect, test } from "vitest";
import { GraphRunner } from "../staged/graph-runner.ts";
import { type HostData, isDeviceData } from "../staged/run-value.ts";
import { sameStrides } from "../strides/layout.ts";
import { elementsOf, HostDeviceEngine } from "./host-device.test-helper.ts";

type Weights = Readonly<Record<string, { readonly shape: readonly number[]; readonly elements: readonly number[] }>>;

/** Runs a program whose first placeholders are weights, and returns the plan of its first stage with the results. */
async function run(body: string, inputs: readonly HostData[] = [], weights: Weights = {}) {
  const program = parse(`program "TRAINING" torch "2.13.0" {\n  forward()\n  ${body.trim()}\n}\n`);
  const engine = new HostDeviceEngine();
  const bound = new Map(
    Object.entries(weights).map(([name, { shape, elements }]) => [name, engine.weight(name, shape, elements)]),
  );
  const runner = new GraphRunner(program.graph, engine);
  const outputs = await runner.run(inputs, bound);
  const results = (await engine.fetch(outputs.filter(isDeviceData))).map(elementsOf);
  const lines = runner.explain().split("\n");
  return { results, lines, engine, runner, plan: engine.plans[0]!, loaded: engine.device.constants.size };
}

const tensor = (shape: readonly number[], ...elements: readonly number[]): HostData => ({
  dtype: "float32",
  shape,
  bytes: new Uint8Array(Float32Array.from(elements).buffer),
});

const x = tensor([2, 3], 1, 2, 3, 4, 5, 6);

describe("a device that only evaluates expressions and has two kernels", () => {
  test("a device gets views without a step, and a copy only where strides cannot express one", async () => {
    const { results, lines, plan } = await run(
      `user_input %x: f32[2, 3]
  %t: f32[3, 2] = aten::permute(self=%x, dims=[1, 0])
  %s: f32[2] = aten::select.int(self=%t, dim=0, index=1)
  %r: f32[6] = aten::reshape(self=%t, shape=[6])
  return %t, %s, %r`,
      [x],
    );
    expect(results).toEqual([
      [1, 4, 2, 5, 3, 6],
      [2, 5],
      [1, 4, 2, 5, 3, 6],
    ]);
    expect(plan.steps).toHaveLength(1);
    expect(lines.slice(1)).toEqual(["r: aten::reshape"]);
  });

  test("a device gets fusion: a chain of elementwise ops is one step over broadcast operands", async () => {
    const { results, lines } = await run(
      `user_input %x: f32[2, 3]
  user_input %b: f32[3]
  %a: f32[2, 3] = aten::add.Tensor(self=%x, other=%b)
  %m: f32[2, 3] = aten::mul.Tensor(self=%a, other=%x)
  %r: f32[2, 3] = aten::relu(self=%m)
  return %r`,
      [x, tensor([3], -2, 0, 1)],
    );
    expect(results).toEqual([[0, 4, 12, 8, 25, 42]]);
    expect(lines).toEqual([expect.stringContaining("1 steps"), "r: aten::add.Tensor + aten::mul.Tensor + aten::relu"]);
  });

  test("a device gets constants: what depends on weights alone is computed once, fused, and shared", async () => {
    const { results, lines, engine, plan } = await run(
      `parameter "w" = %w: f32[3]
  user_input %x: f32[2, 3]
  %e: f32[3] = aten::mul.Tensor(self=%w, other=%w)
  %f: f32[3] = aten::neg(self=%e)
  %e2: f32[3] = aten::mul.Tensor(self=%w, other=%w)
  %f2: f32[3] = aten::neg(self=%e2)
  %a: f32[2, 3] = aten::add.Tensor(self=%x, other=%f)
  %s: f32[2, 3] = aten::mul.Tensor(self=%a, other=%f2)
  return %s`,
      [x],
      { w: { shape: [3], elements: [1, 2, 3] } },
    );
    expect(results).toEqual([[-0, 8, 54, -3, -4, 27]]);
    expect(lines.slice(1)).toEqual(["s: aten::add.Tensor + aten::mul.Tensor"]);
    // Both computations are one constant, which only the plan pins; the weight has left memory.
    const [made, ...others] = plan.stage.constants.keys();
    expect(others).toEqual([]);
    expect(made!.label).toBe("aten::mul.Tensor + aten::neg");
    expect(made!.inputs.map(({ label, resident }) => ({ label, resident }))).toEqual([{ label: "w", resident: false }]);
    expect(engine.log.filter((line) => line.startsWith("read"))).toEqual(["read w"]);
  });

  test("a device gets prepared weights, which leave memory with the last plan that reads them", async () => {
    const { results, engine, runner, plan } = await run(
      `parameter "w" = %w: f32[3, 2]
  user_input %x: f32[2, 3]
  %y: f32[2, 2] = aten::mm(self=%x, mat2=%w)
  return %y`,
      [x],
      { w: { shape: [3, 2], elements: [1, 0, 0, 1, 1, 1] } },
    );
    expect(results).toEqual([[4, 5, 10, 11]]);
    const [packed] = plan.stage.constants.keys();
    expect(packed).toMatchObject({ label: "columns", pins: 1, resident: true });
    expect(engine.device.constants.size).toBe(1);
    runner.release();
    expect(packed!.resident).toBe(false);
    expect(engine.device.constants.size).toBe(0);
  });

  test("a device gets epilogues: elementwise ops after a kernel are computed where it writes", async () => {
    const { results, lines } = await run(
      `user_input %x: f32[2, 3]
  user_input %y: f32[3, 2]
  user_input %b: f32[2]
  %p: f32[2, 2] = aten::mm(self=%x, mat2=%y)
  %a: f32[2, 2] = aten::add.Tensor(self=%p, other=%b)
  %r: f32[2, 2] = aten::relu(self=%a)
  return %r`,
      [x, tensor([3, 2], 1, 0, 0, 1, 1, 1), tensor([2], -5, 1)],
    );
    expect(results).toEqual([[0, 6, 5, 12]]);
    expect(lines.slice(1)).toEqual(["r: aten::mm + aten::add.Tensor + aten::relu"]);
  });

  test("a device gets lifetimes: a chain of any length works in two buffers", async () => {
    const chain = (length: number): string => {
      const calls = Array.from({ length }, (_, i) => `%y${i + 1}: f32[64] = aten::cumsum(self=%y${i}, dim=0)`);
      return `user_input %y0: f32[64]\n  ${calls.join("\n  ")}\n  return %y${length}`;
    };
    const ones = tensor([64], ...new Array<number>(64).fill(1));
    const [short, long] = [await run(chain(2), [ones]), await run(chain(20), [ones])];
    expect(short.results[0]!.slice(0, 4)).toEqual([1, 3, 6, 10]);
    expect(long.plan.steps).toHaveLength(20);
    expect(long.plan.end).toBe(2 * 64 * 8);
    expect(long.plan.end).toBe(short.plan.end);
  });

  test("a device gets plans for other sizes from the first, also where an output that they do not change is copied", async () => {
    const program = parse(`program "TRAINING" torch "2.13.0" {
  forward()
  user_input %x: f32[s0, 3]
  user_input %y: f32[3, 2]
  %t: f32[2, 3] = aten::permute(self=%y, dims=[1, 0])
  %twice: f32[2, 3] = aten::mul.Tensor(self=%t, other=2)
  %sums: f32[s0, 2] = aten::mm(self=%x, mat2=%y)
  return %t, %twice, %sums
}`);
    const engine = new HostDeviceEngine();
    engine.device.isReadable = ({ shape, strides }) => sameStrides(shape, strides, contiguousStrides(shape));
    const runner = new GraphRunner(program.graph, engine);
    for (const rows of [2, 5, 1, 2]) {
      const ones = tensor([rows, 3], ...new Array<number>(3 * rows).fill(1));
      const outputs = await runner.run([ones, tensor([3, 2], 1, 2, 3, 4, 5, 6)]);
      expect((await engine.fetch(outputs.filter(isDeviceData))).map(elementsOf)).toEqual([
        [1, 3, 5, 2, 4, 6],
        [2, 6, 10, 4, 8, 12],
        new Array(rows).fill([9, 12]).flat(),
      ]);
    }
    expect(engine.log.filter((line) => line.startsWith("plan"))).toEqual(["plan", "plan again", "plan again"]);
    runner.release();
    expect(engine.device.constants.size).toBe(0);
  });
});
