import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type HostTensor, hostTensor, type Value } from "@pt2/backend";
import { programOf, registryOf } from "@pt2/conformance";
import { numel, openArchive } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { importProgram, type Program } from "@pt2/graph";
import { functionalize } from "@pt2/graph/functionalize";
import { removeNoOps } from "@pt2/graph/passes";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { afterAll, expect, test } from "vitest";
import { wasm } from "../node.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const registry = createRegistry({ sets: [aten] });
const worker = wasm();
const local = wasm({ worker: false });

afterAll(async () => {
  await worker.dispose();
  await local.dispose();
});

async function open(name: string) {
  const path = fileURLToPath(new URL(`../../../../tests/fixtures/torch-2.13/${name}.pt2`, import.meta.url));
  const archive = await openArchive(await fromFile(path));
  const imported: Program = importProgram(await archive.program());
  const program = functionalize(removeNoOps(imported), registry.effectsOf);
  return { program, weights: await archive.weights(), registry, close: () => archive.close() };
}

/** Returns tensors without their methods, which no two tensors share. */
function plain(values: readonly Value[]): unknown {
  return values.map((value) =>
    typeof value === "object" && value !== null ? [value.dtype, value.shape, value.data] : value,
  );
}

function floats(...shape: number[]): Value {
  const count = numel(shape);
  return hostTensor(
    "float32",
    shape,
    Float32Array.from({ length: count }, (_, i) => Math.sin(i)),
  );
}

test("a program in a worker gives the same bytes as on the calling thread", async () => {
  for (const [name, inputs] of [
    ["conv", [floats(2, 3, 19, 23)]],
    ["cond", [floats(3, 2)]],
  ] as const) {
    const request = await open(name);
    const [there, here] = [await worker.compile(request), await local.compile(request)];
    expect(plain(await there.run(inputs))).toEqual(plain(await here.run(inputs)));
    await there.dispose();
    await here.dispose();
    await request.close();
  }
});

test("inputs stay usable, and overlapping runs are independent", async () => {
  const request = await open("mlp");
  const executable = await worker.compile(request);
  const [a, b] = [floats(5, 7), hostTensor("float32", [5, 7], new Float32Array(35))];
  const [first, second, third] = await Promise.all([executable.run([a]), executable.run([b]), executable.run([a])]);
  expect(plain(third)).toEqual(plain(first));
  expect(plain(second)).not.toEqual(plain(first));
  await executable.dispose();
  await request.close();
});

test("thousands of small runs give the results of their inputs, leave timers their turn, and leave nothing behind", async () => {
  const request = await open("mlp");
  const [there, here] = [await worker.compile(request), await local.compile(request)];
  const inputs = Array.from({ length: 10 }, (_, i) => [hostTensor("float32", [5, 7], new Float32Array(35).fill(i))]);
  const expected: unknown[] = [];
  for (const input of inputs) expected.push(plain(await here.run(input)));
  const results: WeakRef<object>[] = [];
  const round = async (): Promise<void> => {
    for (const [i, input] of inputs.entries()) {
      const [result] = await there.run(input);
      if (i % 5 === 0) expect(plain([result!])).toEqual(expected[i]);
      const { data } = result as HostTensor;
      results.push(new WeakRef(result as HostTensor));
      // A result is the caller's own: what it does with it concerns no later run.
      (data as Float32Array).fill(Number.NaN);
    }
  };
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  for (let i = 0; i < 200; i++) await round();
  clearInterval(timer);
  expect(turns).toBeGreaterThan(1);
  // What a WeakRef was made for lives until the turn of the event loop ends.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(results.filter((result) => result.deref() !== undefined).length).toBeLessThan(10);
  const before = await there.memory();
  const all = await Promise.all(Array.from({ length: 1000 }, (_, i) => there.run(inputs[i % 10]!)));
  expect(all.map(plain)).toEqual(all.map((_, i) => expected[i % 10]));
  expect(await there.memory()).toEqual(before);
  await there.dispose();
  await here.dispose();
  await request.close();
});

test("a seed holds for the runs that follow it", async () => {
  const program = programOf("user_input %x: f32[8]\n  %y: f32[8] = aten::rand_like(%x)\n  return %y");
  const there = await worker.compile({ program, weights: new Map(), registry: registryOf() });
  const draw = async (): Promise<unknown> => plain(await there.run([floats(8)]));
  const drawn: unknown[] = [];
  for (let i = 0; i < 20; i++) {
    worker.manualSeed(3);
    drawn.push(await draw());
  }
  expect(await draw()).not.toEqual(drawn[0]);
  expect(drawn).toEqual(drawn.map(() => drawn[0]));
  await there.dispose();
});

test("every call to dispose waits for the runs under way", async () => {
  const request = await open("mlp");
  const executable = await worker.compile(request);
  let ran = false;
  const run = executable.run([floats(5, 7)]).then(() => {
    ran = true;
  });
  void executable.dispose();
  await executable.dispose();
  expect(ran).toBe(true);
  await run;
  await request.close();
});

test("mutated buffers live in the worker", async () => {
  const request = await open("buffers");
  const executable = await worker.compile(request);
  const inputs = [floats(2, 2, 4), hostTensor("int64", [2], BigInt64Array.of(1n, 4n))];
  const count = async (): Promise<unknown> => ((await executable.run(inputs))[1] as { data: BigInt64Array }).data[0];
  expect([await count(), await count(), await count()]).toEqual([1n, 2n, 3n]);
  await executable.dispose();
  await request.close();
});

test("an aborted run rejects with the signal's reason and changes no buffer", async () => {
  const request = await open("buffers");
  const executable = await worker.compile(request);
  const inputs = [floats(2, 2, 4), hostTensor("int64", [2], BigInt64Array.of(1n, 4n))];
  const reason = new Error("enough");
  await expect(executable.run(inputs, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const [, count] = await executable.run(inputs);
  expect((count as { data: BigInt64Array }).data[0]).toBe(1n);
  await executable.dispose();
  await request.close();
});

test("a load whose progress cannot be told rejects with what the listener threw, and leaves nothing in the worker", async () => {
  const request = await open("mlp");
  const reason = new Error("the page has gone");
  const onProgress = (): void => {
    throw reason;
  };
  await expect(worker.compile({ ...request, onProgress })).rejects.toBe(reason);
  const { signal } = new AbortController();
  await expect(worker.compile({ ...request, onProgress, signal })).rejects.toBe(reason);
  const executable = await worker.compile(request);
  expect(await executable.run([floats(5, 7)])).toHaveLength(1);
  await executable.dispose();
  await request.close();
});

test("errors keep their parts across threads, and the worker stays usable", async () => {
  const request = await open("dynamic");
  const executable = await worker.compile(request);
  const ids = (...values: bigint[]): Value => hostTensor("int64", [1, values.length], BigInt64Array.from(values));
  await expect(executable.run([ids(1n, 99n)])).rejects.toMatchObject({
    name: "Pt2Error",
    code: "backend.index-out-of-range",
  });
  expect(await executable.run([ids(1n, 2n)])).toHaveLength(3);
  await executable.dispose();
  await expect(executable.run([ids(1n, 2n)])).rejects.toMatchObject({ code: "wasm.disposed" });
  await request.close();
});

test("disposing the backend waits for runs, and rejects loads under way", async () => {
  const backend = wasm();
  const request = await open("mlp");
  const executable = await backend.compile(request);
  const run = executable.run([floats(5, 7)]);
  const load = expect(backend.compile(request)).rejects.toMatchObject({ code: "wasm.disposed" });
  const disposed = backend.dispose();
  await expect(executable.run([floats(5, 7)])).rejects.toMatchObject({ code: "wasm.disposed" });
  await disposed;
  expect(await run).toHaveLength(1);
  await load;
  await executable.dispose();
  await expect(backend.compile(request)).rejects.toMatchObject({ code: "wasm.disposed" });
  await request.close();
});
