// Bugs that programs for running exported models had: handlers that are not called, or called too often.
import { wasm } from "@pt2/backend-wasm/node";
import { numel } from "@pt2/format";
import { load, type OpHandler, tensor } from "@pt2/runtime/node";
import { expect, it } from "vitest";
import { editFixture } from "../edit-fixture.ts";
import { loadFixture } from "../fixture.ts";

const x = tensor("float32", [5, 7], new Float32Array(35).fill(1));

/** Makes a handler that takes an op, counts its calls, and returns its first argument. */
function counting(op: string): { readonly handler: OpHandler; readonly calls: () => number } {
  let calls = 0;
  const handler: OpHandler = {
    ops: [op],
    compile: () => (frame) => {
      calls++;
      return Object.values(frame.args)[0] as never;
    },
  };
  return { handler, calls: () => calls };
}

it.each(["aten::relu", "aten.relu.default", "torch.ops.aten.relu.default", "aten::relu.*"])(
  "a handler is honored however its op is spelled: %s",
  async (op) => {
    const { handler, calls } = counting(op);
    await using model = await loadFixture("torch-2.13/mlp", { handlers: [handler] });
    await model.forward(x);
    await model.forward(x);
    expect(calls()).toBe(2);
  },
);

it("a handler is called in a worker too", async () => {
  const { handler, calls } = counting("aten::relu");
  const backend = wasm();
  const model = await loadFixture("torch-2.13/mlp", { backend, handlers: [handler] });
  await model.forward(x);
  expect(calls()).toBe(1);
  await model.dispose();
  await backend.dispose();
});

it("a handler of one overload does not take another", async () => {
  const { handler, calls } = counting("aten::add.Scalar");
  await using model = await loadFixture("torch-2.13/attention", { handlers: [handler] });
  await model.runFlat(model.inputs.map(({ type }) => zeros(type)));
  expect(calls()).toBe(0);
});

it("an unknown op runs through a handler", async () => {
  const bytes = await editFixture("torch-2.13/mlp", "torch.ops.aten.relu.default", "torch.ops.mine.bend.default");
  const { handler, calls } = counting("mine::bend");
  await using model = await load(bytes, { backend: wasm({ worker: false }), handlers: [handler] });
  const y = await model.forward(x);
  expect(y.shape).toEqual([5, 3]);
  expect(calls()).toBe(1);
});

it("two handlers of one op are refused unless the second replaces the first", async () => {
  const [one, two] = [counting("aten::relu"), counting("torch.ops.aten.relu.default")];
  const both = { handlers: [one.handler, two.handler] };
  await expect(loadFixture("torch-2.13/mlp", both)).rejects.toMatchObject({ code: "registry.duplicate" });
  const replacing = { handlers: [one.handler, { ...two.handler, replace: true }] };
  await using model = await loadFixture("torch-2.13/mlp", replacing);
  await model.forward(x);
  expect([one.calls(), two.calls()]).toEqual([0, 1]);
});

function zeros(type: { readonly kind: string }): unknown {
  if (!("shape" in type)) throw new Error(`no tensor: ${type.kind}`);
  const shape = type.shape as readonly number[];
  return tensor("float32", shape, new Float32Array(numel(shape)));
}
