import { type HostTensor, hostTensor, type Value } from "@pt2/backend";
import { floats, ints, programOf, registryOf, weightsOf } from "@pt2/conformance";
import { GraphRunner, RandomState, toRunValues, writtenBuffers } from "@pt2/engine";
import type { Program } from "@pt2/graph";
import { expect, test } from "vitest";
import { WasmBackend } from "../backend.ts";
import { divided } from "../threads/divided.test-helper.ts";
import { createEngine } from "./create-engine.ts";

const registry = registryOf();
const [SLOTS, WIDTH] = [64, 24];

/** A cache of which each run writes one row, and a result that reads all. */
const CACHE = programOf(`
  buffer "cache" = %cache: f32[${SLOTS}, ${WIDTH}]
  user_input %at: i64[1]
  user_input %row: f32[1, ${WIDTH}]
  user_input %id: i64[1]
  %written: f32[${SLOTS}, ${WIDTH}] = aten::index_put(%cache, indices=[%at], values=%row)
  %sums: f32[${WIDTH}] = aten::sum.dim_IntList(%written, dim=[0])
  %one: f32[1, ${WIDTH}] = aten::index_select(%written, dim=0, index=%id)
  return %written -> buffer_mutation "cache", %sums, %one`);

const empty = (): HostTensor => hostTensor("float32", [SLOTS, WIDTH], new Float32Array(SLOTS * WIDTH));
const inputs = (at: number, value: number, id: number): readonly Value[] => [
  ints([1], at),
  hostTensor("float32", [1, WIDTH], new Float32Array(WIDTH).fill(value)),
  ints([1], id),
];

/** Plans a program for inputs, and returns how many buffers each plan writes a part of. */
async function updatesOf(
  program: Program,
  cache: HostTensor,
  ...runs: readonly (readonly Value[])[]
): Promise<number[]> {
  const random = new RandomState();
  const request = { program, registry, weights: weightsOf({ cache }), precision: "fast", random, pool: null } as const;
  const { engine, weights } = await createEngine({ ...request, explainThreads: () => "" }, new Map());
  const runner = new GraphRunner(program.graph, engine, { writes: writtenBuffers(program) });
  for (const inputs of runs) await runner.prepare(toRunValues(program, inputs, { name: "wasm" }), weights.bound);
  return runner.plans.map(({ plan }) => plan.updates.size);
}

test("a run writes one row twice, and copies no buffer", async () => {
  expect(await updatesOf(CACHE, empty(), inputs(0, 1, 0))).toEqual([1]);
});

test("thousands of runs, of which some fail, leave what those that did not fail have written", async () => {
  for (const threads of [1, 3]) {
    const backend = new WasmBackend(divided(threads));
    const model = await backend.compile({ program: CACHE, weights: weightsOf({ cache: empty() }), registry });
    const rows = new Array<number>(SLOTS).fill(0);
    let reserved = 0;
    for (let i = 0; i < 2000; i++) {
      const [at, value, id] = [(i * 29) % SLOTS, i % 101, i % 7 === 3 ? SLOTS + 5 : (i * 13) % SLOTS];
      const running = model.run(inputs(at, value, id));
      if (id >= SLOTS) {
        await expect(running).rejects.toThrow(/index/);
        continue;
      }
      rows[at] = value;
      const [sums, one] = (await running) as [HostTensor, HostTensor];
      expect([sums.data[0], one.data[WIDTH - 1]]).toEqual([rows.reduce((sum, row) => sum + row, 0), rows[id]]);
      if (i === 100) ({ reserved } = await model.memory!());
    }
    const state = (await model.readState!(["cache"])).get("cache")!;
    expect(Array.from({ length: SLOTS }, (_, row) => state.data[row * WIDTH])).toEqual(rows);
    expect((await model.memory!()).reserved).toBe(reserved);
    await model.dispose();
  }
});

test("programs that write a row for inputs of several lengths agree with each other", async () => {
  const program = programOf(`
  buffer "cache" = %cache: f32[4, 2]
  user_input %x: f32[s0, 2]
  %at: i64[1] = aten::full(size=[1], fill_value=1, dtype=torch.int64)
  %row: f32[1, 2] = aten::sum.dim_IntList(%x, dim=[0], keepdim=true)
  %written: f32[4, 2] = aten::index_put(%cache, indices=[%at], values=%row)
  %y: f32[s0, 2] = aten::add.Tensor(%x, other=%row)
  %all: f32[4, 2] = aten::mul.Scalar(%written, other=1.0)
  return %written -> buffer_mutation "cache", %y, %all`);
  const cache = floats([4, 2], 1, 2, 3, 4, 5, 6, 7, 8);
  const given = (length: number) => hostTensor("float32", [length, 2], new Float32Array(2 * length).fill(length));
  expect(await updatesOf(program, cache, [given(3)], [given(1)], [given(4)])).toEqual([1, 1, 1]);
  const model = await new WasmBackend(divided(1)).compile({ program, weights: weightsOf({ cache }), registry });
  for (const length of [3, 1, 4, 3, 2, 1]) {
    const [, all] = (await model.run([
      hostTensor("float32", [length, 2], new Float32Array(2 * length).fill(length)),
    ])) as [HostTensor, HostTensor];
    expect([...all.data]).toEqual([1, 2, length * length, length * length, 5, 6, 7, 8]);
  }
  await model.dispose();
});

test("buffers that are replaced in another order than they are written in get the rows of the run", async () => {
  const program = programOf(`
  buffer "one" = %one: f32[7, 5]
  buffer "other" = %other: f32[7, 5]
  user_input %at: i64[s0]
  user_input %places: i64[s0, 5]
  user_input %rows: f32[s0, 5]
  user_input %id: i64[1]
  %put: f32[7, 5] = aten::index_put(%other, indices=[%at], values=%rows)
  %scattered: f32[7, 5] = aten::scatter.src(%one, dim=0, index=%places, src=%rows)
  %read: f32[1, 5] = aten::index_select(%scattered, dim=0, index=%id)
  return %scattered -> buffer_mutation "one", %put -> buffer_mutation "other", %read, %scattered`);
  const zeros = () => hostTensor("float32", [7, 5], new Float32Array(35));
  const weights = weightsOf({ one: zeros(), other: zeros() });
  const model = await new WasmBackend(divided(1)).compile({ program, weights, registry });
  const expected = { one: Array(35).fill(0), other: Array(35).fill(0) };
  for (let run = 0; run < 20; run++) {
    const [at, places] = [(3 * run) % 7, Array.from({ length: 5 }, (_, i) => (run + 3 * i) % 7)];
    const row = Float32Array.from({ length: 5 }, (_, i) => 10 * run + i + 1);
    await model.run([ints([1], at), ints([1, 5], ...places), hostTensor("float32", [1, 5], row), ints([1], 2)]);
    for (const [i, value] of row.entries()) {
      expected.other[5 * at + i] = value;
      expected.one[5 * places[i]! + i] = value;
    }
    const state = await model.readState!(["one", "other"]);
    expect([...state.get("one")!.data]).toEqual(expected.one);
    expect([...state.get("other")!.data]).toEqual(expected.other);
  }
  await model.dispose();
});
