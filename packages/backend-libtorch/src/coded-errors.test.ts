import { HostTensor, hostTensor, type Tensor } from "@pt2/backend";
import { floats } from "@pt2/conformance";
import { expect, it } from "vitest";
import type { NativeArg, PlanNode, PlanSource } from "./addon.ts";
import { LibtorchBackend } from "./backend.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { fromNative } from "./native-failure.ts";
import { bytesOf, coded } from "./native-values.test-helper.ts";
import { ACCUMULATE, compileBody } from "./programs.test-helper.ts";

const OPTIONS = { profile: false };
const layout = { dtype: "float32", shape: [2], strides: [1], storageOffset: 0 } as const;

/** A plan of one node. */
const planOf = (node: PlanNode, slots: number): PlanSource => ({
  device: "cpu",
  graphs: [{ slots, inputs: [0], nodes: [node], outputs: [{ kind: "slot", slot: slots - 1 }] }],
});

describeWithLibtorch("errors of the native module", ({ addon }) => {
  const arg = (name: string, value: NativeArg["value"]): NativeArg => ({ name, value });
  const vector = () => addon.tensor(addon.storage(new Uint8Array(8)), layout, "cpu");

  it("a plan with an unknown kind of node is malformed", () => {
    const node = { kind: "magic", op: "aten::neg", args: [], outputs: [1] } as unknown as PlanNode;
    expect(() => addon.compile(planOf(node, 2), [null])).toThrow(coded("plan"));
  });

  it("a list that is longer than its elements is refused at the first one that is missing", () => {
    const items: never[] = [];
    items.length = 2 ** 32 - 1;
    expect(() => addon.callSync("aten::cat", [arg("tensors", { kind: "list", items })])).toThrow(coded("argument"));
  });

  it("an op that reads files is refused", () => {
    expect(() => addon.callSync("aten::from_file", [])).toThrow(coded("refused-op"));
  });

  it("a tensor that no memory can hold is refused", () => {
    const size = { kind: "list", items: [{ kind: "int", value: 2n ** 55n }] } as const;
    expect(() => addon.callSync("aten::zeros", [arg("size", size)])).toThrow(coded("out-of-memory"));
  });

  it("a sparse tensor has no elements that JavaScript can read", () => {
    const [sparse] = addon.callSync("aten::to_sparse", [arg("self", { kind: "tensor", tensor: vector() })]);
    expect(() => (sparse as ReturnType<typeof vector>).bytes()).toThrow(coded("result"));
  });

  it("a list of another length than the program recorded is refused", () => {
    const node: PlanNode = {
      kind: "op",
      op: "aten::unbind.int",
      args: [{ name: "self", arg: { kind: "slot", slot: 0 } }],
      outputs: [[1, 2]],
    };
    const plan = addon.compile(planOf(node, 3), [null]);
    expect(plan.runSync([bytesOf(1, 2)], OPTIONS).step.kind).toBe("done");
    expect(() => plan.runSync([bytesOf(1, 2, 3)], OPTIONS)).toThrow(coded("result"));
  });

  it.each([
    ["_operator::floordiv", 1, 0],
    ["_operator::mul", 2n ** 62n, 4],
    ["_operator::lshift", 1, -1],
  ] as const)("a number that does not exist is refused: %s(%s, %s)", (op, a, b) => {
    const args = [a, b].map((value) => ({ name: "", arg: { kind: "int", value } as const }));
    const plan = addon.compile(planOf({ kind: "scalar", op, args, outputs: [1] }, 2), [null]);
    expect(() => plan.runSync([bytesOf(1)], OPTIONS)).toThrow(coded("arithmetic"));
  });

  it("a package of AOTInductor that is not there cannot be loaded", () => {
    const options = { model: "model", device: "cpu", runners: 1 };
    expect(() => addon.loadAoti("/nowhere/model.pt2", options)).toThrow(coded("aoti"));
  });

  it("a code that the table does not have is an internal error, with its cause", () => {
    const failure = Object.assign(new Error("The stack is upside down."), { code: "libtorch.upside-down" });
    expect(fromNative(failure)).toMatchObject({ name: "Pt2Error", code: "libtorch.internal", cause: failure });
  });
});

describeWithLibtorch("errors of programs and inputs", ({ addon }) => {
  const backend = new LibtorchBackend(addon, { threads: 1 });
  const DOUBLE = `
  user_input %x: f32[s0]
  %y: f32[s0] = aten::mul.Tensor(%x, other=2)
  return %y`;

  it.each([
    ["too few inputs", []],
    ["a number in the place of a tensor", [1]],
    ["a tensor of another dtype", [hostTensor("int64", [1], BigInt64Array.of(1n))]],
    ["a tensor with fewer elements than its shape says", [new HostTensor("float32", [2], floats([1], 1).bytes)]],
  ])("%s: the input is refused", async (_, inputs) => {
    const executable = await compileBody(backend, DOUBLE);
    await expect(executable.run(inputs)).rejects.toMatchObject({ code: "libtorch.input" });
    await executable.dispose();
  });

  it("a tensor on another backend's device is refused", async () => {
    const executable = await compileBody(backend, DOUBLE);
    const elsewhere = Object.assign(floats([1], 1), { device: "webgpu", bytes: null }) as Tensor;
    await expect(executable.run([elsewhere])).rejects.toMatchObject({ code: "libtorch.foreign-tensor" });
    await executable.dispose();
  });

  it("a dictionary has no meaning as an argument of an op", async () => {
    const body = DOUBLE.replace("other=2", 'other={"a": 2}');
    await expect(compileBody(backend, body)).rejects.toMatchObject({ code: "libtorch.encode" });
  });

  it("a new value of a buffer must have the shape of the old one", async () => {
    const body = `
  buffer "sum" = %sum: f32[3]
  user_input %x: f32[s0]
  %total: f32[s1] = aten::cat(tensors=[%sum, %x])
  return %total -> buffer_mutation "sum"`;
    const executable = await compileBody(backend, body, { sum: floats([3], 0, 0, 0) });
    await executable.run([floats([0])]);
    await expect(executable.run([floats([1], 1)])).rejects.toMatchObject({ code: "libtorch.buffer-write" });
    await executable.dispose();
  });

  it("a weight without bytes is missing", async () => {
    await expect(compileBody(backend, ACCUMULATE)).rejects.toMatchObject({ code: "libtorch.missing-weight" });
  });
});
