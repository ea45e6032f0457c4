import { type HostTensor, hostTensor, type Tensor } from "@pt2/backend";
import { weightOf } from "@pt2/conformance";
import { type Program, parse } from "@pt2/graph";
import { createRegistry, defineOp, type OpHandler, type OpSet, type TensorMeta } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { scalar as s } from "@pt2/registry/scalar";
import { describe, expect, test } from "vitest";
import { WasmBackend } from "../backend.ts";
import { type KernelCall, type WasmKernel, wasmKernel } from "./kernel.ts";
import { addressOf } from "./tensor-view.ts";

/**
 * The program runs relu, then a custom op with a weight, then relu again: the custom op lies between two planned
 * stages.
 */
const program: Program = parse(`program "TRAINING" torch "2.13.0" {
  forward(x)
  in_spec tuple(tuple(*), dict())
  out_spec *
  parameter "scale" = %scale: f32[3]
  user_input %x: f32[2, 3]
  %before: f32[2, 3] = aten::relu(%x)
  %custom: f32[2, 3] = my::scaled(x=%before, scale=%scale)
  %after: f32[2, 3] = aten::neg(%custom)
  return %after
}
`);

const factors = Float32Array.of(2, 3, 4);
const scale = weightOf("scale", hostTensor("float32", [3], factors));
const x = hostTensor("float32", [2, 3], Float32Array.of(1, -1, 2, 0, 5, -3));
const expected = Float32Array.of(-2, -0, -8, -0, -15, -0);
const SCHEMA = "my::scaled(Tensor x, Tensor scale) -> Tensor";

async function forward(sets: readonly OpSet[], handlers: readonly OpHandler[] = []): Promise<Float32Array> {
  const backend = new WasmBackend();
  const registry = createRegistry({ sets: [aten, ...sets], handlers });
  const executable = await backend.compile({ program, weights: new Map([["scale", scale]]), registry });
  // The second run takes only the planned path.
  await executable.run([x]);
  const [out] = await executable.run([x]);
  await backend.dispose();
  return (out as HostTensor).data as Float32Array;
}

test("a record with a scalar expression runs without a kernel", async () => {
  const mine: OpSet = { name: "my", ops: [defineOp(SCHEMA, { scalar: (x, scale) => s.mul(x, scale) })] };
  expect(await forward([mine])).toEqual(expected);
});

test("a handler rewrites its node into other ops", async () => {
  const handler: OpHandler = {
    ops: ["torch.ops.my.scaled.default"],
    rewrite: ({ x, scale }, b) => b.tensor("aten::mul.Tensor", { self: x!, other: scale! }),
  };
  const mine: OpSet = { name: "my", ops: [defineOp(SCHEMA)] };
  expect(await forward([mine], [handler])).toEqual(expected);
});

test("a handler rewrites an op that no op set has", async () => {
  const handler: OpHandler = {
    ops: ["my::scaled"],
    rewrite: ({ x, scale }, b) => b.tensor("aten::mul.Tensor", { self: x!, other: scale! }),
  };
  expect(await forward([], [handler])).toEqual(expected);
});

test("a handler's function runs in each forward, gets weights at load, and calls ops of the backend", async () => {
  let compiled = 0;
  const handler: OpHandler = {
    ops: ["my::scaled"],
    compile(node, ctx) {
      compiled++;
      expect(node.where).toContain("my::scaled");
      const initial = ctx.initial("scale")!;
      expect(initial.data).toEqual(factors);
      return async ({ args, call }) => call("aten::mul.Tensor", { self: args["x"], other: initial });
    },
  };
  expect(await forward([], [handler])).toEqual(expected);
  expect(compiled).toBe(1);
});

test("a handler takes precedence over the record's own rule, and an op set's kernel over the decomposition", async () => {
  const wrong: OpSet = { name: "my", ops: [defineOp(SCHEMA, { scalar: (x) => x })] };
  const handler: OpHandler = {
    ops: ["my.scaled.default"],
    compile:
      () =>
      ({ args }) => {
        const { dtype, shape, data } = args["x"] as Tensor & { readonly data: Float32Array };
        return { dtype, shape, data: data.map((value, i) => value * factors[i % 3]!) };
      },
  };
  expect(await forward([wrong], [handler])).toEqual(expected);

  const record = defineOp(SCHEMA, {
    infer: ({ x }) => ({ dtype: x.dtype, shape: x.shape }),
    decompose: ({ x }) => x,
  });
  const kernel = wasmKernel({
    ops: [record],
    async prepare(call, { x, scale }) {
      await Promise.resolve();
      const [from, factors, out] = [call.dense(call.tensor(x)), call.dense(call.tensor(scale)), call.output()];
      call.step(() => {
        const floats = call.heap.f32;
        for (let i = 0; i < 6; i++) {
          floats[addressOf(out) / 4 + i] = floats[addressOf(from) / 4 + i]! * floats[addressOf(factors) / 4 + (i % 3)]!;
        }
      });
    },
  });
  const packaged: OpSet = {
    name: "my",
    ops: [record],
    kernels: { wasm: [kernel] },
  };
  expect(await forward([packaged])).toEqual(expected);
});

describe("a kernel of an op set that plans too little, or something else, is refused", () => {
  const record = defineOp(SCHEMA, { infer: ({ x }) => ({ dtype: x.dtype, shape: x.shape }) });
  const outcome = (prepare: WasmKernel["prepare"]): Promise<unknown> =>
    forward([{ name: "my", ops: [record], kernels: { wasm: [{ ops: ["my::scaled"], prepare }] } }]);
  const absent = undefined as unknown as { readonly length: number };
  const self = (call: KernelCall) => call.tensor(call.call.args["x"] as TensorMeta);

  const cases: readonly (readonly [string, WasmKernel["prepare"], string, string | undefined])[] = [
    ["nothing", () => {}, "makes no result 0", "call.output(0)"],
    ["a result without a step", (call) => void call.output(), "plans no step that writes result 0", "Add a step"],
    [
      "a result and a step that makes an argument dense",
      (call) => {
        call.output();
        call.withStrides(self(call), [1, 2]);
      },
      "plans no step that writes result 0",
      "Add a step",
    ],
    [
      "a result and a step that converts an argument",
      (call) => {
        call.output();
        call.convert(self(call), "float64");
      },
      "plans no step that writes result 0",
      "Add a step",
    ],
    [
      "a result of another shape",
      (call) => call.alias(0, { ...self(call), shape: [3], strides: [1] }),
      "makes result 0 as float32[3]; it is float32[2, 3]",
      "call.alias(0, view)",
    ],
    [
      "a result of another dtype",
      (call) => call.alias(0, { ...self(call), dtype: "int32" }),
      "makes result 0 as int32[2, 3]; it is float32[2, 3]",
      "call.alias(0, view)",
    ],
    [
      "a result that reaches beyond its memory",
      (call) => {
        call.output(0, [4, 1]);
        call.step(() => {});
      },
      "makes result 0 with memory that is not its own: shape [2, 3], strides [4, 1] and offset 0 reaches elements 0 to 6 of a buffer of 6",
      "Strides count elements",
    ],
    [
      "a result that the op does not have",
      (call) => void call.output(1),
      "failed: result 1 is not a tensor",
      undefined,
    ],
    [
      "a list that the op does not have",
      (call) => void call.outputs(),
      "failed: result 0 is not a list of tensors",
      undefined,
    ],
    [
      "for a while, and fails",
      (async () => {
        await Promise.resolve();
        void absent.length;
      }) as WasmKernel["prepare"],
      "failed: Cannot read properties of undefined (reading 'length')",
      undefined,
    ],
  ];
  test.each(cases)("it plans %s", async (_, prepare, what, advice) => {
    await expect(outcome(prepare)).rejects.toMatchObject({
      code: "backend.kernel",
      what: `The kernel that an op set brings for my::scaled ${what}`,
      where: expect.stringContaining("%custom"),
      advice: expect.stringContaining(advice ?? "Correct the kernel"),
      details: { op: "my::scaled" },
    });
  });

  test("the error of a missing result has its index", async () => {
    await expect(outcome(() => {})).rejects.toMatchObject({ details: { op: "my::scaled", result: 0 } });
  });

  test("it throws", async () => {
    await expect(outcome(() => void absent.length)).rejects.toMatchObject({
      code: "backend.kernel",
      what: expect.stringContaining("The kernel that an op set brings for my::scaled failed: "),
    });
    const late: WasmKernel["prepare"] = (call) => {
      call.output();
      call.step(() => void absent.length);
    };
    await expect(outcome(late)).rejects.toMatchObject({
      code: "backend.kernel",
      where: expect.stringContaining("%custom"),
    });
  });

  test("one of its steps is an async function", async () => {
    const late: WasmKernel["prepare"] = (call) => {
      call.output();
      call.step(async () => void absent.length);
    };
    await expect(outcome(late)).rejects.toMatchObject({
      code: "backend.kernel",
      what: expect.stringContaining("my::scaled failed: a function of it returned a promise, which nothing waits for"),
      where: expect.stringContaining("%custom"),
    });
  });

  test.each<[string, () => unknown, string]>([
    ["throws", () => absent.length, "Cannot read properties of undefined"],
    ["gives a promise", async () => absent.length, "a function of it returned a promise"],
  ])("its `accepts` %s", async (_, accepts, why) => {
    const kernel = { ops: ["my::scaled"], accepts, prepare: () => {} };
    const work = forward([{ name: "my", ops: [record], kernels: { wasm: [kernel] } }]);
    await expect(work).rejects.toMatchObject({
      code: "backend.kernel",
      what: expect.stringContaining(`for my::scaled failed: ${why}`),
      where: expect.stringContaining("%custom"),
    });
  });
});
