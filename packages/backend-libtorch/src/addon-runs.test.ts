import { expect, it } from "vitest";
import type { Addon, NativeDirectDone, NativeTensor, PlanArg, PlanNode, PlanSource } from "./addon.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { bytesOf, coded, floats } from "./native-values.test-helper.ts";

const slot = (index: number): PlanArg => ({ kind: "slot", slot: index });
const int = (value: number) => ({ kind: "int", value }) as const;

/** slots[i + 1] = op(slots[i]) */
function chain(ops: readonly string[], outputs: readonly number[] = [ops.length]): PlanSource {
  const nodes = ops.map(
    (op, i): PlanNode => ({
      kind: op === "host" ? "host" : "op",
      op,
      args: [{ name: op === "host" ? "" : "self", arg: slot(i) }],
      outputs: [i + 1],
    }),
  );
  return { device: "cpu", graphs: [{ slots: ops.length + 1, inputs: [0], nodes, outputs: outputs.map(slot) }] };
}

const OPTIONS = { profile: false };

/** A loop whose condition is always true. */
const LOOP: PlanSource = {
  device: "cpu",
  graphs: [
    {
      slots: 2,
      inputs: [0],
      nodes: [
        {
          kind: "control",
          op: "higher_order::while_loop",
          args: [
            { name: "", arg: { kind: "graph", graph: 1 } },
            { name: "", arg: { kind: "graph", graph: 2 } },
            { name: "", arg: { kind: "list", items: [slot(0)] } },
            { name: "", arg: { kind: "list", items: [] } },
          ],
          outputs: [[1]],
        },
      ],
      outputs: [slot(1)],
    },
    { slots: 1, inputs: [0], nodes: [], outputs: [{ kind: "bool", value: true }] },
    { slots: 1, inputs: [0], nodes: [], outputs: [slot(0)] },
  ],
};

/** A run under way that ends by being canceled. */
function endless(addon: Addon): { readonly ended: Promise<unknown>; cancel(): void } {
  const run = addon.compile(LOOP, [null]).start([bytesOf(1)], OPTIONS);
  return { ended: run.resume([]), cancel: () => run.cancel() };
}

describeWithLibtorch("native runs", ({ addon }) => {
  it("reads bytes in place during a synchronous run, and keeps none of them", () => {
    const input = bytesOf(1, 2);
    const { step, run } = addon.compile(chain(["aten::neg"], [0, 1]), [null]).runSync([input], OPTIONS);
    if (step.kind !== "done") throw new Error("it has no host nodes");
    new Float32Array(input.bytes.buffer).fill(9);
    expect(run).toBeNull();
    expect(step.outputs.map(floats)).toEqual([
      [1, 2],
      [-1, -2],
    ]);
  });

  it("stops at host nodes and goes on with what they return", async () => {
    const plan = addon.compile(chain(["aten::neg", "host", "aten::neg"]), [null]);
    const begun = plan.runSync([bytesOf(1, 2)], OPTIONS);
    if (begun.step.kind !== "host" || begun.run === null) throw new Error("it has a host node");
    expect(begun.step).toMatchObject({ graph: 0, node: 1 });
    expect(floats(begun.step.args[0])).toEqual([-1, -2]);
    const doubled = addon.callSync("aten::mul.Scalar", [
      { name: "self", value: { kind: "tensor", tensor: begun.step.args[0] as NativeTensor } },
      { name: "other", value: int(2) },
    ]);
    const done = await begun.run.resume(doubled);
    expect(done.kind === "done" && floats(done.outputs[0])).toEqual([2, 4]);
    await expect(begun.run.resume([])).rejects.toEqual(coded("finished"));
  });

  it("the native module is used by one caller at a time", async () => {
    // Has the only thread, so that the run behind it waits.
    const before = endless(addon);
    const run = addon.compile(chain(["aten::neg"]), [null]).start([bytesOf(1)], OPTIONS);
    const first = run.resume([]);
    expect(() => run.resume([])).toThrow(coded("busy"));
    expect(() => run.resumeSync([])).toThrow(coded("busy"));
    before.cancel();
    await expect(before.ended).rejects.toEqual(coded("aborted"));
    expect((await first).kind).toBe("done");
  });

  it("names the place of a failure, and what is canceled", async () => {
    const plan = addon.compile(chain(["aten::neg", "aten::linalg_cholesky"]), [null]);
    const place = { graph: 0, node: 1 };
    await expect(plan.start([bytesOf(1)], OPTIONS).resume([])).rejects.toMatchObject({
      code: "libtorch.op-failed",
      ...place,
    });
    const run = plan.start([bytesOf(1)], OPTIONS);
    run.cancel();
    await expect(run.resume([])).rejects.toEqual(coded("aborted"));
    run.cancel();
  });

  it("overlaps, also beyond the number of threads, and never mixes runs up", async () => {
    const plan = addon.compile(chain(Array(50).fill("aten::neg")), [null]);
    addon.setConcurrency(3);
    const steps = await Promise.all(
      Array.from({ length: 40 }, (_, i) => plan.start([bytesOf(i, i + 1)], OPTIONS).resume([])),
    );
    addon.setConcurrency(1);
    expect(steps.map((step) => step.kind === "done" && floats(step.outputs[0])[0])).toEqual(
      Array.from({ length: 40 }, (_, i) => i),
    );
  });

  it("outlives the plan and the tensors that it was begun with", async () => {
    const plan = addon.compile(chain(["aten::neg", "aten::neg"]), [null]);
    const input = addon.tensor(
      addon.storage(bytesOf(4).bytes),
      { dtype: "float32", shape: [1], strides: [1], storageOffset: 0 },
      "cpu",
    );
    const run = plan.start([input], OPTIONS);
    plan.dispose();
    input.dispose();
    const done = await run.resume([]);
    expect(done.kind === "done" && floats(done.outputs[0])).toEqual([4]);
    expect(() => plan.start([], OPTIONS)).toThrow(coded("disposed"));
  });

  it("leaves the calling thread free while it computes", async () => {
    const run = endless(addon);
    await new Promise((resolve) => setTimeout(resolve, 5));
    // Nothing else ends it: a run that held up this thread would never come here.
    run.cancel();
    await expect(run.ended).rejects.toEqual(coded("aborted"));
  });

  /** Reads each input by `view`, and adds it to what it read. */
  const writes = (count: number, view: PlanNode["op"], args: PlanNode["args"]): PlanSource => ({
    device: "cpu",
    graphs: [
      {
        slots: 3 * count,
        inputs: Array.from({ length: count }, (_, i) => i),
        nodes: Array.from({ length: count }, (_, i): readonly PlanNode[] => [
          {
            kind: "op",
            op: view,
            args: [{ name: "self", arg: slot(i) }, ...args],
            outputs: [count + i],
          },
          {
            kind: "op",
            op: "aten::add_.Tensor",
            args: [
              { name: "self", arg: slot(count + i) },
              { name: "other", arg: slot(count + i) },
            ],
            outputs: [2 * count + i],
          },
        ]).flat(),
        outputs: Array.from({ length: count }, (_, i) => slot(i)),
      },
    ],
  });

  it.each([
    ["a view that its schema shows", "aten::view", [{ name: "size", arg: { kind: "list", items: [int(2)] } }], 1],
    ["one that its schema does not show", "aten::atleast_1d", [], 2],
  ] as const)("writes to 500 inputs through %s begin no run again for each of them", async (_, view, args, most) => {
    const count = view === "aten::view" ? 500 : 1;
    const plan = addon.compile(writes(count, view, args), Array(count).fill(null));
    for (const beginnings of [most, 1]) {
      const given = Array.from({ length: count }, (_, i) => bytesOf(i, 1));
      const step = await plan.start(given, { profile: true }).resume([]);
      if (step.kind !== "done") throw new Error("it stopped");
      expect(step.profile?.beginnings).toBe(beginnings);
      expect(step.outputs.map((output) => floats(output as NativeTensor))).toEqual(given.map((_, i) => [2 * i, 2]));
      expect(step.written.map(({ input }) => input)).toEqual(given.map((_, i) => i));
      expect(given.map(({ bytes }) => new Float32Array(bytes.buffer)[0])).toEqual(given.map((_, i) => i));
    }
    plan.dispose();
  });

  it("repeats runs from bytes to bytes, and refuses bytes, layouts and plans that do not fit", () => {
    const layout = { dtype: "float32", shape: [2] } as const;
    const plan = addon.compile(chain(["aten::neg"]), [null]);
    const direct = plan.direct([layout], [layout])!;
    const memory = (...values: readonly number[]): Uint8Array => new Uint8Array(Float32Array.from(values).buffer);
    for (const value of [1, 2]) {
      const out = memory(0, 0);
      expect(direct.run(true, memory(value, 5), out)).toBeUndefined();
      expect([...new Float32Array(out.buffer)]).toEqual([-value, -5]);
    }
    const buffer = new ArrayBuffer(8);
    const detached = new Uint8Array(buffer);
    structuredClone(buffer, { transfer: [buffer] });
    for (const given of [
      [memory(1, 2)],
      [memory(1), memory(0, 0)],
      [memory(1, 2), memory(0)],
      [detached, memory(0, 0)],
      [],
    ])
      expect(() => direct.run(false, ...given)).toThrow(coded("argument"));
    expect(() => direct.run(1 as unknown as boolean, memory(1, 2), memory(0, 0))).toThrow(coded("argument"));
    const others = plan.direct([layout], [{ dtype: "float32", shape: [3] }])!.run(false, memory(1, 2), memory(0, 0, 0));
    expect((others as readonly NativeTensor[]).map(floats)).toEqual([[-1, -2]]);
    expect(() => plan.direct([], [layout])).toThrow(coded("plan"));
    expect(() => plan.direct([{ ...layout, shape: [-1] }], [layout])).toThrow(coded("argument"));
    for (const other of [chain(["host"]), chain(["aten::neg_"]), LOOP])
      expect(addon.compile(other, [null]).direct([layout], [layout])).toBeNull();
    direct.dispose();
    expect(() => direct.run(false, memory(1, 2), memory(0, 0))).toThrow(coded("disposed"));
  });

  it("repeats runs on the pool, which has one of a kind at a time, and ends those that are under way when it is disposed", async () => {
    const layout = { dtype: "float32", shape: [2] } as const;
    const plan = addon.compile(chain(["aten::neg"]), [null]);
    const direct = plan.direct([layout], [layout])!;
    const memory = (...values: readonly number[]): Uint8Array => new Uint8Array(Float32Array.from(values).buffer);
    const elements = ({ memory }: NativeDirectDone): number[][] => memory!.map((m) => [...new Float32Array(m.buffer)]);
    for (const value of [1, 2]) {
      const given = memory(value, 5);
      const run = direct.post(given);
      given.fill(0);
      expect(() => direct.post(memory(1, 2))).toThrow(coded("busy"));
      expect(() => direct.run(false, memory(1, 2), memory(0, 0))).toThrow(coded("busy"));
      expect(elements(await run)).toEqual([[-value, -5]]);
    }
    for (const given of [[memory(1)], []]) expect(() => direct.post(...given)).toThrow(coded("argument"));
    const others = await plan.direct([layout], [{ dtype: "float32", shape: [3] }])!.post(memory(1, 2));
    expect((others.values as readonly NativeTensor[]).map(floats)).toEqual([[-1, -2]]);
    const last = direct.post(memory(7, 8));
    direct.dispose();
    plan.dispose();
    expect(elements(await last)).toEqual([[-7, -8]]);
    expect(() => direct.post(memory(1, 2))).toThrow(coded("disposed"));
  });
});
