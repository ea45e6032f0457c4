import { type HostTensor, hostTensor, type Value } from "@pt2/backend";
import { floats, weightOf } from "@pt2/conformance";
import { expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { compileBody, elementsOf } from "./programs.test-helper.ts";

const x = floats([3], 1, 2, 3);

describeWithLibtorch("mutation", ({ addon }) => {
  const backend = new LibtorchBackend(addon);

  it("a write through a view writes the buffer, and user inputs are never modified", async () => {
    const executable = await compileBody(
      backend,
      `
  buffer "cache" = %cache: f32[2, 3]
  user_input %x: f32[3]
  %row: f32[3] = aten::select.int(%cache, dim=0, index=1)
  %a: f32[3] = aten::add_.Tensor(%row, other=%x)
  %b: f32[3] = aten::mul_.Tensor(%x, other=2)
  %copy: f32[2, 3] = aten::clone(%cache)
  return %copy, %b`,
      { cache: floats([2, 3], 1, 1, 1, 0, 0, 0) },
    );
    const first = await executable.run([x]);
    const second = await executable.run([x]);
    expect(elementsOf(first[0])).toEqual([1, 1, 1, 1, 2, 3]);
    expect(elementsOf(second[0])).toEqual([1, 1, 1, 2, 4, 6]);
    expect([elementsOf(second[1]), elementsOf(x)]).toEqual([
      [2, 4, 6],
      [1, 2, 3],
    ]);
    await executable.dispose();
  });

  it.each(["fast", "exact"] as const)(
    "memory that a copy of other strides filled is read in its order: %s",
    async (precision) => {
      const executable = await compileBody(
        backend,
        `
  user_input %x: f32[3, 2]
  %t: f32[2, 3]{strides=[1, 2]} = aten::t(%x)
  %y: f32[2, 3] = aten::zeros(size=[2, 3])
  %y_1: f32[2, 3] = aten::copy_(%y, src=%t)
  %tail: f32[2]{offset=1} = aten::as_strided(%y_1, size=[2], stride=[1], storage_offset=1)
  %tail_1: f32[2]{offset=1} = aten::neg_(%tail)
  %all: f32[6] = aten::as_strided(%y_1, size=[6], stride=[1])
  %copy: f32[6] = aten::clone(%all)
  return %copy`,
        {},
        { precision },
      );
      expect(elementsOf((await executable.run([floats([3, 2], 1, 2, 3, 4, 5, 6)]))[0])).toEqual([1, -3, -5, 2, 4, 6]);
      await executable.dispose();
    },
  );

  it.each(["fast", "exact"] as const)(
    "a new value that lies otherwise in memory can be read: %s",
    async (precision) => {
      const executable = await compileBody(
        backend,
        `
  buffer "sum" = %sum: f32[2, 3]
  user_input %x: f32[3, 2]
  %t: f32[2, 3] = aten::transpose.int(%x, dim0=0, dim1=1)
  %y: f32[2, 3] = aten::add.Tensor(%sum, other=%t)
  %z: f32[2, 3] = aten::tanh(%t)
  %p: f32[2, 3] = aten::copy_(%sum, src=%z)
  return %y`,
        { sum: floats([2, 3], 0, 0, 0, 0, 0, 0) },
        { precision },
      );
      const rows = floats([3, 2], 1, 2, 3, 4, 5, 6);
      await executable.run([rows]);
      const right = [1, 3, 5, 2, 4, 6].map(Math.tanh);
      for (let i = 0; i < 2; i++) {
        const sum = (await executable.readState(["sum"])).get("sum")!;
        expect([...(sum.data as Float32Array)].map((value) => value.toFixed(6))).toEqual(
          right.map((v) => v.toFixed(6)),
        );
      }
      const [y] = await executable.run([rows]);
      expect(elementsOf(y)[0]).toBeCloseTo(1 + Math.tanh(1), 6);
      await executable.dispose();
    },
  );

  it.each(["fast", "exact"] as const)(
    "a value for two buffers is copied before others are updated: %s",
    async (precision) => {
      const executable = await compileBody(
        backend,
        `
  buffer "mean" = %mean: f32[3]
  buffer "last" = %last: f32[3]
  buffer "again" = %again: f32[3]
  user_input %x: f32[3]
  %y: f32[3] = aten::cumsum(%x, dim=0)
  %v: f32[3] = aten::view(%y, size=[3])
  %m: f32[3] = aten::mul.Tensor(%mean, other=0.5)
  %n: f32[3] = aten::add.Tensor(%m, other=%x)
  %p: f32[3] = aten::copy_(%last, src=%y)
  %q: f32[3] = aten::copy_(%again, src=%v)
  %r: f32[3] = aten::copy_(%mean, src=%n)
  %sum: f32[] = aten::sum(%y)
  return %sum`,
        { mean: floats([3], 0, 0, 0), last: floats([3], 0, 0, 0), again: floats([3], 0, 0, 0) },
        { precision },
      );
      await executable.run([x]);
      await executable.run([x]);
      const state = await executable.readState(["mean", "last", "again"]);
      expect(state.get("mean")!.data).toEqual(Float32Array.of(1.5, 3, 4.5));
      expect(state.get("last")!.data).toEqual(Float32Array.of(1, 3, 6));
      expect(state.get("again")!.data).toEqual(Float32Array.of(1, 3, 6));
      await executable.dispose();
    },
  );

  it.each(["fast", "exact"] as const)("a buffer that is only written has its new value: %s", async (precision) => {
    const executable = await compileBody(
      backend,
      `
  buffer "norm" = %norm: f32[3]
  user_input %x: f32[3]
  %y: f32[3] = aten::mul.Tensor(%x, other=2)
  %p: f32[3] = aten::copy_(%norm, src=%y)
  %sum: f32[] = aten::sum(%y)
  return %sum`,
      { norm: floats([3], 7, 7, 7) },
      { precision },
    );
    expect((await executable.readState(["norm"])).get("norm")!.data).toEqual(Float32Array.of(7, 7, 7));
    await executable.run([x]);
    await executable.run([floats([3], 4, 5, 6)]);
    expect((await executable.readState(["norm"])).get("norm")!.data).toEqual(Float32Array.of(8, 10, 12));
    await executable.dispose();
  });

  it.each(["fast", "exact"] as const)(
    "buffers that are copied to each other get what the others had: %s",
    async (precision) => {
      const executable = await compileBody(
        backend,
        `
  buffer "a" = %a: f32[3]
  buffer "b" = %b: f32[3]
  buffer "c" = %c: f32[3]
  user_input %x: f32[3]
  %zero: f32[3] = aten::add.Tensor(%a, other=0)
  %p: f32[3] = aten::copy_(%c, src=%b)
  %q: f32[3] = aten::copy_(%b, src=%a)
  %r: f32[3] = aten::copy_(%a, src=%x)
  return %zero, %p, %q`,
        { a: floats([3], 1, 1, 1), b: floats([3], 2, 2, 2), c: floats([3], 3, 3, 3) },
        { precision },
      );
      const runs = [x, floats([3], 4, 5, 6), x, x].map(async (input) =>
        (await executable.run([input])).map(elementsOf),
      );
      expect(await Promise.all(runs)).toEqual([
        [
          [1, 1, 1],
          [2, 2, 2],
          [1, 1, 1],
        ],
        [
          [1, 2, 3],
          [1, 1, 1],
          [1, 2, 3],
        ],
        [
          [4, 5, 6],
          [1, 2, 3],
          [4, 5, 6],
        ],
        [
          [1, 2, 3],
          [4, 5, 6],
          [1, 2, 3],
        ],
      ]);
      await executable.dispose();
    },
  );

  it("new values of buffers that are each other's old ones are exchanged", async () => {
    const executable = await compileBody(
      backend,
      `
  buffer "a" = %a: f32[1]
  buffer "b" = %b: f32[1]
  %y: f32[1] = aten::clone(%a)
  return %b -> buffer_mutation "a", %a -> buffer_mutation "b", %y`,
      { a: floats([1], 1), b: floats([1], 2) },
    );
    for (const expected of [1, 2, 1, 2]) expect(elementsOf((await executable.run([])).at(-1))).toEqual([expected]);
    await executable.dispose();
  });

  it("tied buffers see each other's writes, in place or as results", async () => {
    const storage = floats([4], 1, 2, 3, 4);
    const tied = {
      all: weightOf("all", storage, { storage: "shared" }),
      tail: weightOf("tail", storage, { storage: "shared", shape: [2], strides: [1], storageOffset: 2 }),
    };
    const inPlace = await compileBody(
      backend,
      `
  buffer "all" = %all: f32[4]
  buffer "tail" = %tail: f32[2]
  user_input %x: f32[2]
  %w: f32[2] = aten::add_.Tensor(%tail, other=%x)
  %y: f32[4] = aten::clone(%all)
  return %y`,
      tied,
    );
    expect(elementsOf((await inPlace.run([floats([2], 10, 20)]))[0])).toEqual([1, 2, 13, 24]);
    expect(elementsOf((await inPlace.run([floats([2], 10, 20)]))[0])).toEqual([1, 2, 23, 44]);
    const functional = await compileBody(
      backend,
      `
  buffer "all" = %all: f32[4]
  buffer "tail" = %tail: f32[2]
  user_input %x: f32[2]
  %w: f32[2] = aten::add.Tensor(%tail, other=%x)
  %y: f32[4] = aten::neg(%all)
  return %w -> buffer_mutation "tail", %y`,
      tied,
    );
    expect(elementsOf((await functional.run([floats([2], 10, 20)]))[0])).toEqual([-1, -2, -3, -4]);
    expect(elementsOf((await functional.run([floats([2], 10, 20)]))[0])).toEqual([-1, -2, -13, -24]);
    await Promise.all([inPlace.dispose(), functional.dispose()]);
  });

  it.each([
    ["the new value", '%y -> buffer_mutation "a", %y'],
    ["a view of it", '%y -> buffer_mutation "a", %v'],
    ["what it is a view of", '%v -> buffer_mutation "a", %y'],
    ["that of another buffer, a view of it", '%y -> buffer_mutation "a", %v -> buffer_mutation "b", %z'],
  ])("a buffer does not change with a result, which is %s", async (_, results) => {
    const body = `
  buffer "a" = %a: f32[3]
  buffer "b" = %b: f32[3]
  user_input %x: f32[3]
  %z: f32[3] = aten::add.Tensor(%a, other=%b)
  %y: f32[3] = aten::add.Tensor(%a, other=%x)
  %v: f32[3] = aten::view(%y, size=[3])
  return ${results}`;
    for (const precision of ["fast", "exact"] as const) {
      const state = { a: floats([3], 1, 1, 1), b: floats([3], 0, 0, 0) };
      const executable = await compileBody(backend, body, state, { precision });
      const [result] = (await executable.run([x])) as readonly [HostTensor];
      const kept = [...elementsOf(result)];
      (result.data as Float32Array).fill(100);
      const again = elementsOf((await executable.run([floats([3], 0, 0, 0)]))[0]);
      expect([kept, again]).toEqual(
        /%z/.test(results)
          ? [
              [1, 1, 1],
              [4, 6, 8],
            ]
          : [
              [2, 3, 4],
              [2, 3, 4],
            ],
      );
      await executable.dispose();
    }
  });

  it("weights that share memory and are only read do not keep a program with a cache from being optimized", async () => {
    const words = floats([3, 2], 1, 2, 3, 4, 5, 6);
    const cache = floats([2, 2], 0, 0, 0, 0);
    // An export with a static cache lists each tensor of it twice.
    const executable = await compileBody(
      backend,
      `
  parameter "words" = %words: f32[3, 2]
  parameter "head" = %head: f32[3, 2]
  tensor_constant "lifted" = %lifted: f32[2, 2]
  buffer "cache" = %cache: f32[2, 2]
  user_input %at: i64[1]
  user_input %word: i64[1]
  %x: f32[1, 2] = aten::index_select(%words, dim=0, index=%word)
  %kept: f32[2, 2] = aten::index_copy_(%lifted, dim=0, index=%at, source=%x)
  %y: f32[2, 3] = aten::linear(input=%kept, weight=%head)
  return %y`,
      {
        words: weightOf("words", words, { storage: "tied" }),
        head: weightOf("head", words, { storage: "tied" }),
        lifted: weightOf("lifted", cache, { storage: "kept" }),
        cache: weightOf("cache", cache, { storage: "kept" }),
      },
    );
    expect(await executable.explain()).toContain("pt2::linear");
    const step = async (at: bigint, word: bigint) =>
      elementsOf(
        (
          await executable.run([
            hostTensor("int64", [1], BigInt64Array.of(at)),
            hostTensor("int64", [1], BigInt64Array.of(word)),
          ])
        )[0],
      );
    expect(await step(0n, 0n)).toEqual([5, 11, 17, 0, 0, 0]);
    expect(await step(1n, 2n)).toEqual([5, 11, 17, 17, 39, 61]);
    expect(await step(0n, 1n)).toEqual([11, 25, 39, 17, 39, 61]);
    await executable.dispose();
  });

  it("a batch norm that trains updates its statistics; one that does not leaves them", async () => {
    const program = (training: boolean): string => `
  buffer "mean" = %mean: f32[2]
  buffer "var" = %var: f32[2]
  user_input %x: f32[2, 2]
  %y: f32[2, 2] = aten::batch_norm(input=%x, weight=none, bias=none, running_mean=%mean, running_var=%var, training=${training}, momentum=0.5, eps=1e-5, cudnn_enabled=true)
  %m: f32[2] = aten::clone(%mean)
  return %y, %m`;
    const statistics = { mean: floats([2], 0, 0), var: floats([2], 1, 1) };
    const batch = floats([2, 2], 1, 10, 3, 30);
    const training = await compileBody(backend, program(true), statistics);
    expect(elementsOf((await training.run([batch]))[1])).toEqual([1, 10]);
    expect(elementsOf((await training.run([batch]))[1])).toEqual([1.5, 15]);
    const evaluation = await compileBody(backend, program(false), statistics);
    for (let i = 0; i < 2; i++) expect(elementsOf((await evaluation.run([batch]))[1])).toEqual([0, 0]);
    await Promise.all([training.dispose(), evaluation.dispose()]);
  });

  it("a failing run changes nothing, also where it failed after a write", async () => {
    const executable = await compileBody(
      backend,
      `
  buffer "seen" = %seen: i64[]
  user_input %table: f32[3]
  user_input %at: i64[1]
  %next: i64[] = aten::add_.Tensor(%seen, other=1)
  %row: f32[1] = aten::index_select(%table, dim=0, index=%at)
  %copy: i64[] = aten::clone(%next)
  return %row, %copy`,
      { seen: hostTensor("int64", [], BigInt64Array.of(0n)) },
    );
    const at = (index: bigint) => hostTensor("int64", [1], BigInt64Array.of(index));
    expect(elementsOf((await executable.run([x, at(2n)]))[1])).toEqual([1n]);
    await expect(executable.run([x, at(7n)])).rejects.toMatchObject({ code: "libtorch.op-failed" });
    expect(elementsOf((await executable.run([x, at(0n)]))[1])).toEqual([2n]);
    await executable.dispose();
  });

  /** Adds to a total and to a weight that follows it; fails where `at` is outside the table. */
  const UPDATE = `
  parameter "weight" = %weight: f32[3]
  buffer "total" = %total: f32[3]
  user_input %x: f32[3]
  user_input %at: i64[1]
  %row: f32[1] = aten::index_select(%x, dim=0, index=%at)
  %a: f32[3] = aten::mul.Tensor(%x, other=%x)
  %b: f32[3] = aten::add.Tensor(%total, other=%a)
  %c: f32[3] = aten::mul.Tensor(%b, other=0.5)
  %d: f32[3] = aten::sub.Tensor(%weight, other=%c)
  return %b -> buffer_mutation "total", %d -> parameter_mutation "weight", %row`;
  const index = (at: bigint) => hostTensor("int64", [1], BigInt64Array.of(at));
  const stateOf = async (executable: Awaited<ReturnType<typeof compileBody>>): Promise<readonly unknown[]> => {
    const state = await executable.readState(["total", "weight"]);
    return ["total", "weight"].map((target) => elementsOf(state.get(target)));
  };

  it("new values of state are written in place, and neither the file nor another model sees them", async () => {
    const weights = { weight: floats([3], 10, 10, 10), total: floats([3], 0, 0, 0) };
    const [one, other] = [await compileBody(backend, UPDATE, weights), await compileBody(backend, UPDATE, weights)];
    expect(await one.explain()).toContain("pt2::pointwise_");
    const before = backend.memory().liveBytes;
    for (let i = 0; i < 2000; i++) await one.run([x, index(1n)]);
    expect(backend.memory().liveBytes).toBeLessThan(before + 64 * 1024);
    expect((await stateOf(one))[0]).toEqual([2000, 8000, 18000]);
    expect(await stateOf(other)).toEqual([
      [0, 0, 0],
      [10, 10, 10],
    ]);
    expect([elementsOf(weights.weight), elementsOf(weights.total)]).toEqual([
      [10, 10, 10],
      [0, 0, 0],
    ]);
    one.runSync([x, index(0n)]);
    expect((await stateOf(one))[0]).toEqual([2001, 8004, 18009]);
    await Promise.all([one.dispose(), other.dispose()]);
  });

  it("what a trace has shown of an old value stays as it was", async () => {
    const weights = { weight: floats([3], 10, 10, 10), total: floats([3], 0, 0, 0) };
    const row = "%row: f32[1] = aten::index_select(%x, dim=0, index=%at)";
    const view = "%v: f32[3, 1] = aten::view(%weight, size=[3, 1])";
    const viewed = UPDATE.replace(row, `${view}\n  %row: f32[1, 1] = aten::index_select(%v, dim=0, index=%at)`);
    const executable = await compileBody(backend, viewed, weights);
    const shown = new Map<string, Value>();
    await executable.trace([x, index(1n)], ({ outputs }) => {
      for (const { name, value } of outputs) shown.set(name, value);
    });
    expect(await executable.explain()).toContain("pt2::pointwise_");
    expect((await stateOf(executable))[1]).toEqual([9.5, 8, 5.5]);
    // The passes call every view a reshape.
    expect([...shown.keys()]).toEqual(["reshape", "row", "a"]);
    expect(elementsOf(shown.get("reshape"))).toEqual([10, 10, 10]);
    await executable.dispose();
  });

  it("a run that fails or is aborted leaves what is written in place", async () => {
    const weights = { weight: floats([3], 10, 10, 10), total: floats([3], 0, 0, 0) };
    const executable = await compileBody(backend, UPDATE, weights);
    await expect(executable.run([x, index(7n)])).rejects.toMatchObject({ code: "libtorch.op-failed" });
    const abort = new AbortController();
    const run = executable.run([x, index(1n)], { signal: abort.signal });
    abort.abort();
    const steps = await run.then(
      () => 1,
      () => 0,
    );
    expect(await stateOf(executable)).toEqual([
      [steps, steps * 4, steps * 9],
      [10 - steps / 2, 10 - steps * 2, 10 - steps * 4.5],
    ]);
    await executable.dispose();
  });

  it("random numbers follow the seed, and a write that begins a run again does not draw twice", async () => {
    const executable = await compileBody(
      backend,
      `
  buffer "sum" = %sum: f32[8]
  user_input %x: f32[8]
  %d: f32[8] = aten::dropout(input=%x, p=0.5, train=true)
  %w: f32[8] = aten::add_.Tensor(%sum, other=%d)
  return %d`,
      { sum: floats([8], 0, 0, 0, 0, 0, 0, 0, 0) },
    );
    const ones = floats([8], 1, 1, 1, 1, 1, 1, 1, 1);
    const sequence = async (): Promise<unknown> => {
      backend.manualSeed(7);
      return [elementsOf((await executable.run([ones]))[0]), elementsOf((await executable.run([ones]))[0])];
    };
    const [first, second] = [await sequence(), await sequence()];
    expect(first).toEqual(second);
    await executable.dispose();
  });
});
