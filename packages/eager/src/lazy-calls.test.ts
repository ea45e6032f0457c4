import type { Tensor } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { floats, ints, someFloats } from "@pt2/conformance";
import { defineOp } from "@pt2/registry";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { MOST_RECORDED } from "./eager-calls.ts";
import { type EagerOps, eagerOps } from "./eager-ops.ts";
import { farBackend } from "./far-backend.test-helper.ts";

const inner = wasm({ worker: false });
afterAll(() => inner.dispose());

let backend: ReturnType<typeof farBackend>;
let eager: EagerOps;
let aten: EagerOps["aten"];
beforeEach(async () => {
  backend = farBackend(inner);
  eager = await eagerOps(backend, { programs: 8 });
  aten = eager.aten;
});

/** The ops of the n-th compiled program. */
const opsOf = (program: number): readonly string[] =>
  backend.counts.programs[program]!.graph.nodes.map(({ op }) => op.replace("aten::", ""));

const listOf = async (tensor: Tensor): Promise<unknown> => (await tensor.cpu()).tolist();

/** Waits for runs that no reader waits for. */
const settled = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe("what runs, and when", () => {
  it("elementwise calls and views wait for a reader, and are one program", async () => {
    const x = floats([2, 2], 1, 2, 3, 4);
    const y = aten.add(aten.t(aten.mul(x, 2)), 1);
    await settled();
    expect(backend.counts.programs).toHaveLength(0);
    expect([y.shape, y.dtype, y.bytes]).toEqual([[2, 2], "float32", null]);
    expect(await listOf(y)).toEqual([
      [3, 7],
      [5, 9],
    ]);
    expect(opsOf(0)).toEqual(["mul.Tensor", "t", "add.Tensor"]);
    await y.read();
    expect(backend.counts.runs).toBe(1);
  });

  it("other calls start at once, together with those that they need", async () => {
    const x = floats([2, 2], 1, 2, 3, 4);
    const product = aten.mm(aten.relu(x), x);
    await expect.poll(() => backend.counts.runs).toBe(1);
    expect(opsOf(0)).toEqual(["relu", "mm"]);
    expect(await listOf(aten.neg(product))).toEqual([
      [-7, -10],
      [-15, -22],
    ]);
    expect(opsOf(1)).toEqual(["neg"]);
  });

  it("a value that two programs compute on the way is kept by the second one", async () => {
    const x = floats([2], 1, 2);
    const shared = aten.exp(x);
    await aten.add(shared, 1).read();
    await aten.add(shared, x).read();
    await aten.mul(shared, x).read();
    expect([opsOf(0), opsOf(1), opsOf(2)]).toEqual([["exp", "add.Tensor"], ["exp", "add.Tensor"], ["mul.Tensor"]]);
    await shared.read();
    expect(backend.counts.runs).toBe(3);
  });

  it("a chain runs when it has grown long", async () => {
    let x: Tensor = floats([1], 0);
    for (let i = 0; i <= MOST_RECORDED; i++) x = aten.add(x, 1);
    await expect.poll(() => backend.counts.runs).toBe(1);
    expect(opsOf(0)).toHaveLength(MOST_RECORDED + 1);
    expect(await listOf(x)).toEqual([MOST_RECORDED + 1]);
  });

  it("calls that use each other twice are counted once", async () => {
    let x: Tensor = floats([1], 1);
    for (let i = 0; i < 20; i++) x = aten.add(x, x);
    await settled();
    expect(backend.counts.runs).toBe(0);
    expect(await listOf(x)).toEqual([2 ** 20]);
  });

  it("lazy results are those of calls one by one, bit for bit", async () => {
    const x = someFloats(5, 7);
    const chain = async (wait: (tensor: Tensor) => Promise<unknown>): Promise<unknown> => {
      const a = aten.mul(x, 0.1);
      await wait(a);
      const b = aten.tanh(aten.add(a, x, { alpha: 0.3 }));
      await wait(b);
      const c = aten.div(aten.to(b, "float16"), 3);
      await wait(c);
      const d = aten.where(aten.gt(aten.t(c), 0.1), aten.t(a), 0.5);
      return (await d.read()).slice();
    };
    const lazily = await chain(async () => {});
    expect(lazily).toEqual(await chain((tensor) => tensor.read()));
  });

  it("random calls run at once, and each gives other numbers", async () => {
    const [a, b] = [aten.rand([100]), aten.rand([100])];
    await expect.poll(() => backend.counts.runs).toBe(2);
    expect(await a.read()).not.toEqual(await b.read());
    expect(await a.read()).toEqual(await a.read());
    const dropped = aten.dropout(aten.ones([1000]), 0.5, true);
    const kept = aten.add(dropped, 0);
    expect(await kept.read()).toEqual(await dropped.read());
  });
});

describe("programs", () => {
  it("other numbers and other elements use the same program", async () => {
    for (const number of [2, 3, 40]) {
      const x = floats([3], number, 0, 1);
      const y = aten.clamp(aten.add(aten.mul(x, number), x, { alpha: number + 0.5 }), number, 2 ** 20);
      expect(await listOf(y)).toEqual([number * number + (number + 0.5) * number, number, 2 * number + 0.5]);
    }
    expect(backend.counts.programs).toHaveLength(1);
  });

  it("other shapes, dtypes, kinds of numbers and arguments are other programs", async () => {
    const x = floats([2, 2], 1, 2, 3, 4);
    const results = [
      aten.mul(x, 2),
      aten.mul(floats([2], 1, 2), 2),
      aten.mul(ints([2, 2], 1, 2, 3, 4), 2),
      aten.mul(x, 2.5),
      aten.sum(x, 0),
      aten.sum(x, 1),
    ];
    for (const result of results) await result.read();
    expect(backend.counts.programs).toHaveLength(results.length);
  });

  it("the programs that were used last are kept, the others are disposed after their last run", async () => {
    const reads = Array.from({ length: 20 }, (_, i) => aten.relu(someFloats(i + 1)).read());
    expect((await Promise.all(reads)).map(({ length }) => length)).toEqual(reads.map((_, i) => i + 1));
    await settled();
    expect(backend.counts.programs).toHaveLength(20);
    expect(backend.counts.executables.size).toBe(8);
    await eager.dispose();
    await settled();
    expect(backend.counts.executables.size).toBe(0);
  });

  it("what was recorded can be read after dispose(), and leaves no program", async () => {
    const x = floats([2], 1, 2);
    const [first, second] = [aten.exp(x), aten.neg(x)];
    const reading = first.read();
    await eager.dispose();
    expect([...(await reading)].length).toBe(2);
    expect(await listOf(second)).toEqual([-1, -2]);
    await settled();
    expect(backend.counts.executables.size).toBe(0);
  });

  it("a program that fails to run can run with other data", async () => {
    const x = floats([2], 1, 2);
    const wrong = aten.index_select(x, 0, ints([1], 5));
    await expect(wrong.read()).rejects.toThrow(/index 5|out of/);
    await expect(aten.add(wrong, 1).read()).rejects.toThrow(/index 5|out of/);
    expect(await listOf(aten.index_select(x, 0, ints([1], 1)))).toEqual([2]);
    expect(backend.counts.programs.filter(({ graph }) => graph.nodes[0]!.op === "aten::index_select")).toHaveLength(1);
  });
});

describe("memory", () => {
  it("an input may be disposed as soon as a call has taken it", async () => {
    const x = await backend.upload!(floats([2], 1, 2));
    const y = aten.add(x, 1);
    const z = aten.mul(y, 2);
    const sum = aten.sum(z);
    x.dispose();
    y.dispose();
    expect(await listOf(z)).toEqual([4, 6]);
    expect(await listOf(sum)).toEqual(10);
    z.dispose();
    sum.dispose();
    await settled();
    expect(backend.counts.memories.size).toBe(0);
  });

  it("a write to a tensor in host memory is seen by later calls only", async () => {
    const x = floats([3], 1, 2, 3);
    const [lazy, started] = [aten.add(x, 1), aten.sum(x)];
    (x.data as Float32Array)[0] = 10;
    const later = aten.add(x, 1);
    expect(await listOf(lazy)).toEqual([2, 3, 4]);
    expect(await listOf(started)).toBe(6);
    expect(await listOf(later)).toEqual([11, 3, 4]);
  });

  it("a tensor that a call takes twice is one input", async () => {
    const x = floats([2], 1, 2);
    expect(await listOf(aten.cat([x, x]))).toEqual([1, 2, 1, 2]);
    expect(await listOf(aten.mul(x, x))).toEqual([1, 4]);
    expect(backend.counts.programs.map(({ inputs }) => inputs.length)).toEqual([1, 1]);
  });

  it("a tensor that was never read frees its inputs", async () => {
    const x = await backend.upload!(floats([2], 1, 2));
    const y = aten.add(x, 1);
    const parts = aten.split(y, 1);
    x.dispose();
    y.dispose();
    expect(backend.counts.memories.size).toBe(1);
    for (const part of parts) part.dispose();
    await settled();
    expect([backend.counts.memories.size, backend.counts.runs]).toEqual([0, 0]);
  });

  it("thousands of calls hold nothing", async () => {
    const step = await backend.upload!(floats([4], 1, 2, 3, 4));
    let x = aten.mul(step, 0);
    for (let i = 0; i < 3000; i++) {
      const next = i % 10 === 0 ? aten.softmax(x, 0) : aten.add(x, step);
      x.dispose();
      x = next;
      if (i % 100 === 0) await x.read();
    }
    await x.read();
    await settled();
    // The step, and the last result.
    expect(backend.counts.memories.size).toBe(2);
    expect(backend.counts.executables.size).toBeLessThanOrEqual(8);
    const executables = [...backend.counts.executables];
    const reserved = await Promise.all(executables.map(async (each) => (await each.memory()).reserved));
    for (let i = 0; i < 300; i++) {
      using next = aten.softmax(aten.add(x, step), 0);
      await next.read();
    }
    const after = await Promise.all(
      executables
        .filter((each) => backend.counts.executables.has(each))
        .map(async (each) => (await each.memory()).reserved),
    );
    expect(Math.max(...after)).toBe(Math.max(...reserved));
    await settled();
    expect(backend.counts.memories.size).toBe(2);
  });

  it("a tensor that is disposed while it is read can be read to the end, and not again", async () => {
    const x = aten.exp(floats([1], 0));
    const reading = x.read();
    x.dispose();
    x.dispose();
    expect([...(await reading)]).toEqual([1]);
    await expect(x.read()).rejects.toMatchObject({ code: "eager.disposed" });
    expect(() => aten.add(x, 1)).toThrow(expect.objectContaining({ code: "eager.disposed" }));
    await settled();
    expect(backend.counts.memories.size).toBe(0);
  });
});

describe("sizes that depend on data", () => {
  it("are awaited, with what they need in one program", async () => {
    const x = floats([4], 1, -2, 3, -4);
    const positive = await aten.masked_select(aten.mul(x, 2), aten.gt(x, 0));
    expect([positive.shape, await listOf(positive)]).toEqual([[2], [2, 6]]);
    expect(backend.counts.programs).toHaveLength(1);
    expect(await listOf(aten.add(positive, 1))).toEqual([3, 7]);
    expect(await aten.item(aten.sum(x))).toBe(-2);
    const [values, , counts] = await aten._unique2(ints([3], 5, 5, 7), { return_counts: true });
    expect([await listOf(values), await listOf(counts)]).toEqual([
      [5n, 7n],
      [2n, 1n],
    ]);
  });

  it("for some arguments only: the promise is there always", async () => {
    const x = floats([3], 1, 2, 3);
    expect(await listOf(await aten.index(x, [ints([2], 2, 0)]))).toEqual([3, 1]);
    const mask = aten.gt(x, 1);
    expect(await listOf(await aten.index(x, [mask]))).toEqual([2, 3]);
  });
});

describe("op sets of users", () => {
  it("are namespaces of their own, next to PyTorch's", async () => {
    const bend = defineOp("mine::bend(Tensor self, float by=2.0) -> Tensor", {
      decompose: ({ self, by }, b) =>
        b.tensor("aten::mul.Tensor", { self: b.tensor("aten::relu", { self }), other: { float: by } }),
    });
    const { ops } = await eagerOps(backend, { ops: [{ name: "mine", ops: [bend] }] });
    expect(await listOf(ops.mine!.bend!(floats([2], -1, 3)))).toEqual([0, 6]);
    expect(await listOf(ops.mine!.bend!(floats([2], -1, 3), { by: 3 }))).toEqual([0, 9]);
    expect(Object.keys(ops)).toEqual(expect.arrayContaining(["aten", "mine"]));
  });
});
