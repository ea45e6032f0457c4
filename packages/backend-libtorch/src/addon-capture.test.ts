import { expect, it } from "vitest";
import type { NativeTensor, PlanNode, PlanSource } from "./addon.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { bytesOf, coded, floats } from "./native-values.test-helper.ts";

/** One node: of its input, plus a weight where the op takes a second operand. */
function program(kind: PlanNode["kind"], op: string, names: readonly string[]): PlanSource {
  const args = names.map((name, slot) => ({ name, arg: { kind: "slot", slot } as const }));
  const out = names.length;
  const node: PlanNode = { kind, op, args, outputs: [out] };
  const inputs = names.map((_, i) => i);
  return { device: "cpu", graphs: [{ slots: out + 1, inputs, nodes: [node], outputs: [{ kind: "slot", slot: out }] }] };
}

describeWithLibtorch("captured runs", ({ addon }) => {
  const weight = (value: number): NativeTensor =>
    addon.callSync("aten::full", [
      { name: "size", value: { kind: "list", items: [{ kind: "int", value: 2 }] } },
      { name: "fill_value", value: { kind: "float", value } },
    ])[0] as NativeTensor;

  it("takes new elements each time, and gives results that stay", async () => {
    const plan = addon.compile(program("op", "aten::mul.Tensor", ["self", "other"]), [null, weight(10)]);
    const capture = await plan.capture([bytesOf(1, 2)]);
    const results = await Promise.all([1, 2, 3].map((i) => capture.run([bytesOf(i, -i)])));
    expect(results.map(([result]) => floats(result))).toEqual([
      [10, -10],
      [20, -20],
      [30, -30],
    ]);
  });

  it("refuses other shapes, dtypes, counts and kinds of inputs", async () => {
    const capture = await addon.compile(program("op", "aten::neg", ["self"]), [null]).capture([bytesOf(1, 2)]);
    for (const inputs of [
      [bytesOf(1)],
      [{ ...bytesOf(1, 2), dtype: "int32" }],
      [],
      [bytesOf(1, 2), 1n],
      [1n],
    ] as const) {
      await expect(capture.run(inputs)).rejects.toEqual(coded("argument"));
    }
    expect(floats((await capture.run([bytesOf(3, 4)]))[0])).toEqual([-3, -4]);
  });

  it("refuses programs that would do something else when repeated", async () => {
    const host = addon.compile(program("host", "mine", [""]), [null]);
    await expect(host.capture([bytesOf(1)])).rejects.toMatchObject({ code: "libtorch.capture", graph: 0, node: 0 });
    const reading = addon.compile(program("op", "aten::equal", ["self", "other"]), [null, weight(10)]);
    await expect(reading.capture([bytesOf(1, 2)])).rejects.toEqual(coded("capture"));
    const writing = addon.compile(program("op", "aten::neg_", ["self"]), [null]);
    await expect(writing.capture([bytesOf(1)])).rejects.toEqual(coded("capture"));
  });

  it("takes dropout that drops nothing, and none that draws", async () => {
    const dropout = (p: number, train: boolean): PlanSource => {
      const args = [
        { name: "input", arg: { kind: "slot", slot: 0 } },
        { name: "p", arg: { kind: "float", value: p } },
        { name: "train", arg: { kind: "bool", value: train } },
      ] as const;
      const node = { kind: "op", op: "aten::dropout", args, outputs: [1] } as const;
      return {
        device: "cpu",
        graphs: [{ slots: 2, inputs: [0], nodes: [node], outputs: [{ kind: "slot", slot: 1 }] }],
      };
    };
    const capture = await addon.compile(dropout(0.5, false), [null]).capture([bytesOf(1, 2)]);
    expect(floats((await capture.run([bytesOf(3, 4)]))[0])).toEqual([3, 4]);
    await expect(addon.compile(dropout(0.5, true), [null]).capture([bytesOf(1, 2)])).rejects.toEqual(coded("capture"));
  });

  it("ends with a weight that it was captured with, and on dispose", async () => {
    const plan = addon.compile(program("op", "aten::mul.Tensor", ["self", "other"]), [null, weight(10)]);
    const capture = await plan.capture([bytesOf(1, 2)]);
    plan.bind(1, weight(20));
    await expect(capture.run([bytesOf(1, 2)])).rejects.toEqual(coded("capture"));
    capture.dispose();
    capture.dispose();
    expect(() => capture.run([bytesOf(1, 2)])).toThrow(coded("disposed"));
  });
});
