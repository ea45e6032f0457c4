import { hostTensor, type Value } from "@pt2/backend";
import { floats } from "@pt2/conformance";
import { GraphRunner, RandomState, type RunValue, toRunValues } from "@pt2/engine";
import { bitsToFloat } from "@pt2/format";
import { parse } from "@pt2/graph";
import { createRegistry, type OpHandler } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { expect, test } from "vitest";
import { createEngine } from "./create-engine.ts";
import { runBody } from "./programs.test-helper.ts";
import type { WasmDevice } from "./wasm-device.ts";

/** Runs a program many times on one runner, and returns that runner's device with the results. */
async function runMany(
  body: string,
  runs: readonly (readonly Value[])[],
  handlers: readonly OpHandler[] = [],
): Promise<{
  readonly results: readonly (readonly unknown[])[];
  readonly plans: number;
  readonly device: WasmDevice;
  readonly stages: number;
}> {
  const program = parse(`program "TRAINING" torch "2.13.0" {\n  forward()\n  ${body.trim()}\n}\n`);
  const registry = createRegistry({ sets: [aten], handlers });
  const random = new RandomState();
  const request = {
    program,
    registry,
    weights: new Map(),
    precision: "fast" as const,
    random,
    pool: null,
    explainThreads: () => "",
  };
  const { engine } = await createEngine(request, new Map());
  const runner = new GraphRunner(program.graph, engine);
  const results: (readonly unknown[])[] = [];
  for (const inputs of runs)
    results.push((await runner.run(toRunValues(program, inputs, { name: "wasm" }))).map(plain));
  return { results, plans: runner.explain().split("# ").length - 1, device: engine.device, stages: runner.stages };
}

function plain(value: RunValue): unknown {
  if (value === null || typeof value !== "object" || !("bytes" in value)) return value;
  const { bytes, dtype } = value;
  return dtype === "float32" ? [...new Float32Array(bytes.buffer)] : [...new BigInt64Array(bytes.buffer)].map(Number);
}

const f32 = Math.fround;
const numbers = Array.from({ length: 1000 }, (_, i) => i / 7 - 70.1);

test("one plan serves every value of a float, and memory does not grow", async () => {
  const x = floats([3], 1, 2, 3);
  const body = `
  user_input %x: f32[3]
  user_input %t: float
  %a: f32[3] = aten::div.Tensor(self=%x, other=%t)
  %two: float = _operator::mul(a=%t, b=2.0)
  %b: f32[3] = aten::add.Scalar(self=%a, other=%two)
  %c: f32[3] = aten::full_like(self=%x, fill_value=%t)
  %d: f32[3] = aten::sub.Tensor(self=%b, other=%c)
  %e: f32[3] = aten::exp(%c)
  return %d, %e, %two`;
  const { plans, results, device } = await runMany(
    body,
    numbers.map((t) => [x, t]),
  );
  expect(plans).toBe(1);
  expect(device.constants.size).toBeLessThan(4);
  const reserved = device.heap.used;
  expect(reserved).toBeLessThan(1 << 16);
  for (const [i, t] of numbers.entries()) {
    const [d, e, two] = results[i] as [number[], number[], { float: number }];
    expect(two.float).toBe(t * 2);
    for (const [k, v] of [1, 2, 3].entries()) {
      expect(d[k]).toBeCloseTo(v / t + t * 2 - t, 3);
      expect(e[k]! / Math.exp(f32(t))).toBeCloseTo(1, 4);
    }
  }
});

test("a float that a rule depends on needs a plan for each value, and the number of plans is bounded", async () => {
  const x = floats([1], 2);
  const body = `
  user_input %x: f32[1]
  user_input %p: float
  %y: f32[1] = aten::pow.Tensor_Scalar(self=%x, exponent=%p)
  return %y`;
  const { plans, results } = await runMany(
    body,
    numbers.map((p) => [x, p]),
  );
  expect(plans).toBe(16);
  for (const [i, p] of numbers.entries()) expect((results[i]![0] as number[])[0]! / 2 ** p).toBeCloseTo(1, 4);
});

test("ints that are sizes need a bounded number of plans and constants", async () => {
  const body = `
  user_input %n: int
  %a: i64[s0] = aten::arange(end=%n)
  %b: i64[s0] = aten::mul.Scalar(self=%a, other=%n)
  return %b`;
  const sizes = Array.from({ length: 1000 }, (_, i) => i + 1);
  const { plans, results, device } = await runMany(
    body,
    sizes.map((n) => [n]),
  );
  expect(plans).toBe(16);
  expect(device.constants.size).toBeLessThan(64);
  for (const n of sizes) expect((results[n - 1]![0] as number[]).at(-1)).toBe((n - 1) * n);
});

test("ops that a handler calls with different numbers share a plan", async () => {
  let calls = 0;
  const handler: OpHandler = {
    ops: ["mylib::warm"],
    compile:
      () =>
      async ({ args, call }) => {
        calls++;
        const [scaled] = await call("aten::mul.Scalar", { self: args["x"], other: calls / 3 });
        const [moved] = await call("aten::add.Tensor", { self: scaled, other: calls, alpha: 2 });
        return moved!;
      },
  };
  const body = `
  user_input %x: f32[2]
  %y: f32[2] = mylib::warm(x=%x)
  return %y`;
  const { results, stages } = await runMany(
    body,
    numbers.map(() => [floats([2], 1, 2)]),
    [handler],
  );
  expect(results.at(-1)).toEqual([[f32(f32(1000 / 3) + 2000), f32(f32(2000 / 3) + 2000)]]);
  // The stages are two of the program, the multiplication by a float and by an int, and the addition.
  expect(stages).toBe(5);
});

test("a handler may call several ops at the same time", async () => {
  const handler: OpHandler = {
    ops: ["mylib::sum"],
    compile:
      () =>
      async ({ args, call }) => {
        const parts = await Promise.all(
          [1, 2, 3, 4].map((by) => call("aten::mul.Scalar", { self: args["x"], other: by })),
        );
        const [joined] = await call("aten::cat", { tensors: parts.map(([part]) => part) });
        return joined!;
      },
  };
  const body = `
  user_input %x: f32[1]
  %y: f32[4] = mylib::sum(x=%x)
  return %y`;
  const { results } = await runMany(body, [[floats([1], 5)]], [handler]);
  expect(results).toEqual([[[5, 10, 15, 20]]]);
});

test("a loop that carries an int plans its graphs once", async () => {
  const body = `
  user_input %x: f32[1]
  while_loop: [%n: int, %y: f32[1]] = higher_order::while_loop(graph more(%k: int, %a: f32[1]) {
      %c: bool = _operator::lt(a=%k, b=2000)
      return %c
    }, graph body(%k: int, %a: f32[1]) {
      %next: int = _operator::add(a=%k, b=1)
      %b: f32[1] = aten::add.Scalar(self=%a, other=%k)
      return %next, %b
    }, [0, %x], [])
  return %n, %y`;
  const { results, stages } = await runMany(body, [[floats([1], 0)]]);
  expect(results).toEqual([[2000, [1999000]]]);
  // The stages are those of the program before and after the loop, and of its two graphs.
  expect(stages).toBe(4);
});

test("a condition on a number makes two plans, not one for each value", async () => {
  const item = `
  user_input %x: f32[1]
  %s: float = aten::item(%x)
  %g: bool = _operator::gt(a=%s, b=0.0)
  check: aten::_assert_scalar(self=%g, assert_msg="must be positive")
  %y: f32[1] = aten::mul.Tensor(self=%x, other=%s)
  return %y`;
  const { plans, results } = await runMany(
    item,
    [1, 2, 3, 4].map((v) => [floats([1], v)]),
  );
  expect(plans).toBe(2);
  expect(results).toEqual([[[1]], [[4]], [[9]], [[16]]]);
  await expect(runMany(item, [[floats([1], 1)], [floats([1], -1)]])).rejects.toThrow("must be positive");
});

test("a number keeps its dtype's rules: ints stay ints, float16 rounds as PyTorch's", async () => {
  const body = `
  user_input %i: i64[1]
  user_input %h: f16[1]
  user_input %n: int
  user_input %t: float
  %a: i64[1] = aten::add.Tensor(self=%i, other=%n)
  %b: i64[1] = aten::floor_divide(self=%i, other=%n)
  %c: bool[1] = aten::eq.Scalar(self=%h, other=%t)
  %d: f16[1] = aten::mul.Tensor(self=%h, other=%t)
  return %a, %b, %c, %d`;
  const i = hostTensor("int64", [1], BigInt64Array.of(-7n));
  const h = hostTensor("float16", [1], Uint16Array.of(0x2e66)); // 0.1
  expect(
    await runBody(body, [
      [i, h, 2, 0.1],
      [i, h, 3, 0.5],
    ]),
  ).toEqual([
    [[-5n], [-4n], [1], [bitsToFloat("float16", 0x211e)]],
    [[-4n], [-3n], [0], [bitsToFloat("float16", 0x2a66)]],
  ]);
});
