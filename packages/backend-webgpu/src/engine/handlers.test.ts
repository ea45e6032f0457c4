import { floats, programOf, registryOf, run, weightsOf } from "@pt2/conformance";
import { defineOp, type OpHandler, type OpSet, type TensorMeta } from "@pt2/registry";
import { scalar as s } from "@pt2/registry/scalar";
import { describe, expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import { webgpu } from "../index.ts";
import { type KernelCall, type WebgpuKernel, webgpuKernel } from "./kernel.ts";

/** The custom op lies between two ops that are planned. */
const program = programOf(`
  parameter "scale" = %scale: f32[3]
  user_input %x: f32[2, 3]
  %before: f32[2, 3] = aten::relu(self=%x)
  %custom: f32[2, 3] = my::scaled(x=%before, scale=%scale)
  %after: f32[2, 3] = aten::neg(self=%custom)
  return %after`);
const weights = weightsOf({ scale: floats([3], 2, 3, 4) });
const x = floats([2, 3], 1, -1, 2, 0, 5, -3);
const expected = [[-2, -0, -8, -0, -15, -0]];
const SCHEMA = "my::scaled(Tensor x, Tensor scale) -> Tensor";

await describeWithDevice("an op that PyTorch does not have", (device) => {
  const outcome = async (sets: readonly OpSet[], handlers: readonly OpHandler[] = []) => {
    const backend = await webgpu({ device });
    const registry = registryOf(handlers, sets);
    expect(await backend.unsupported(program, registry)).toEqual([]);
    const executable = await backend.compile({ program, weights, registry });
    // The second run takes only the planned path.
    await executable.run([x]);
    const results = await run(executable, x);
    const explanation = await executable.explain();
    await backend.dispose();
    return { results, explanation };
  };

  test("a custom op runs by its scalar expression, in one shader with its neighbors", async () => {
    const mine: OpSet = { name: "my", ops: [defineOp(SCHEMA, { scalar: (a, b) => s.mul(a, b) })] };
    const { results, explanation } = await outcome([mine]);
    expect(results).toEqual(expected);
    expect(explanation).toContain("aten::relu + my::scaled + aten::neg → elementwise");
  });

  test("an op that PyTorch does not have is rewritten by a handler", async () => {
    const handler: OpHandler = {
      ops: ["torch.ops.my.scaled.default"],
      rewrite: ({ x: self, scale }, b) => b.tensor("aten::mul.Tensor", { self: self!, other: scale! }),
    };
    expect((await outcome([], [handler])).results).toEqual(expected);
  });

  test("a handler may be a function in JavaScript, which calls ops on the GPU and gets weights at load", async () => {
    let compiled = 0;
    const handler: OpHandler = {
      ops: ["my::scaled"],
      compile(_, ctx) {
        compiled++;
        expect(ctx.initial("scale")!.data).toEqual(Float32Array.of(2, 3, 4));
        return async ({ args, call }) => {
          const [product] = await call("aten::mul.Tensor", { self: args["x"], other: args["scale"] });
          return product!;
        };
      },
    };
    const { results, explanation } = await outcome([{ name: "my", ops: [defineOp(SCHEMA)] }], [handler]);
    expect(results).toEqual(expected);
    expect(compiled).toBe(1);
    expect(explanation).toContain("(my::scaled runs on the host)");
  });

  test("a custom op has a kernel of its op set, which may load code, and whose result takes an epilogue", async () => {
    const op = defineOp(SCHEMA, { infer: ({ x: self }) => ({ dtype: self.dtype, shape: self.shape }) });
    const kernel = webgpuKernel({
      ops: [op],
      fuses: true,
      async prepare(call, { x: self, scale }) {
        await Promise.resolve();
        const shader = call.shader("scaled").read("x", call.tensor(self)).read("factor", call.tensor(scale));
        shader.result("out");
        shader.forEach(6, "set_out(i, x(i) * factor(i % 3u));");
      },
    });
    const mine: OpSet = { name: "my", ops: [op], kernels: { webgpu: [kernel] } };
    const { results, explanation } = await outcome([mine]);
    expect(results).toEqual(expected);
    expect(explanation).toContain("my::scaled + aten::neg → scaled");
    expect(explanation).toContain("x(i) * factor(i % 3u)");
  });

  test("a kernel that does not fuse has steps of its own, and what follows is another one", async () => {
    const op = defineOp(SCHEMA, { infer: ({ x: self }) => ({ dtype: self.dtype, shape: self.shape }) });
    const kernel = webgpuKernel({
      ops: [op],
      prepare(call, { x: self, scale }) {
        const products = call.temporary("float32", [2, 3]);
        const first = call.shader("products").read("x", call.tensor(self)).read("factor", call.tensor(scale));
        first.write("p0", products).forEach(6, "set_p0(i, x(i) * factor(i % 3u));");
        const second = call.shader("moved").read("p0", products).write("out", call.output());
        second.forEach(6, "set_out(5u - i, p0(5u - i));");
      },
    });
    const { results, explanation } = await outcome([{ name: "my", ops: [op], kernels: { webgpu: [kernel] } }]);
    expect(results).toEqual(expected);
    expect(explanation).not.toContain("my::scaled + aten::neg");
    expect(explanation).toMatch(/my::scaled → products.*moved/s);
  });

  describe("a kernel of an op set that plans too little, or something else, is refused", () => {
    const op = defineOp(SCHEMA, { infer: ({ x: self }) => ({ dtype: self.dtype, shape: self.shape }) });
    const with_ = (prepare: WebgpuKernel["prepare"]) =>
      outcome([{ name: "my", ops: [op], kernels: { webgpu: [{ ops: ["my::scaled"], prepare }] } }]);
    const self = (call: KernelCall) => call.tensor(call.call.args["x"] as TensorMeta);
    const absent = undefined as unknown as { readonly length: number };

    const cases: readonly (readonly [string, WebgpuKernel["prepare"], string])[] = [
      ["nothing", () => {}, "makes no result 0"],
      ["a result without a shader", (call) => void call.output(), "plans no shader that writes result 0"],
      [
        "a result, and a shader that writes something else",
        (call) => {
          call.output();
          const shader = call
            .shader("elsewhere")
            .read("x", self(call))
            .write("out", call.temporary("float32", [2, 3]));
          shader.forEach(6, "set_out(i, x(i));");
        },
        "plans no shader that writes result 0",
      ],
      [
        "a result that a shader only reads",
        (call) => {
          const shader = call
            .shader("read")
            .read("x", call.output())
            .write("out", call.temporary("float32", [2, 3]));
          shader.forEach(6, "set_out(i, x(i));");
        },
        "plans no shader that writes result 0",
      ],
      [
        "a result of another shape",
        (call) => call.alias(0, { ...self(call), shape: [3], strides: [1] }),
        "makes result 0 as float32[3]; it is float32[2, 3]",
      ],
      [
        "a result of another dtype",
        (call) => call.alias(0, { ...self(call), dtype: "int32" }),
        "makes result 0 as int32[2, 3]; it is float32[2, 3]",
      ],
      [
        "a result that reaches beyond its memory",
        (call) => call.alias(0, { ...self(call), offset: 1 }),
        "makes result 0 with memory that is not its own: shape [2, 3], strides [3, 1] and offset 1 reaches elements 1 to 6 of a buffer of 6",
      ],
      [
        "a result that the op does not have",
        (call) => void call.shader("").result("out", 1),
        "failed: result 1 is not a tensor",
      ],
      [
        "for a while, and fails",
        async () => void absent.length,
        "failed: Cannot read properties of undefined (reading 'length')",
      ],
    ];
    test.each(cases)("it plans %s", async (_, prepare, what) => {
      await expect(with_(prepare)).rejects.toMatchObject({
        code: "backend.kernel",
        what: `The kernel that an op set brings for my::scaled ${what}`,
        where: expect.stringContaining("%custom"),
        details: { op: "my::scaled" },
      });
    });

    test("it throws", async () => {
      await expect(with_(() => void absent.length)).rejects.toMatchObject({ code: "backend.kernel" });
      const late: WebgpuKernel["prepare"] = (call) => {
        const run = async () => await Promise.reject(new Error("mine"));
        call.host({ name: "late", reads: [], writes: [call.output()], run });
      };
      await expect(with_(late)).rejects.toMatchObject({
        code: "backend.kernel",
        what: expect.stringContaining("failed: mine"),
        where: expect.stringContaining("%custom"),
      });
    });
  });

  test("a kernel plans each call once, whatever its shaders and the rest of the program load", async () => {
    const op = defineOp(SCHEMA, { infer: ({ x: self }) => ({ dtype: self.dtype, shape: self.shape }) });
    let prepared = 0;
    const kernel = webgpuKernel({
      ops: [op],
      fuses: true,
      prepare(call, { x: self, scale }) {
        prepared++;
        const shader = call.shader("scaled").read("x", call.tensor(self)).read("factor", call.tensor(scale));
        shader.result("out");
        shader.forEach(6, "set_out(i, pow_f32(x(i), factor(i % 3u)));");
      },
    });
    const mine: OpSet = { name: "my", ops: [op], kernels: { webgpu: [kernel] } };
    const twice = programOf(`
      parameter "scale" = %scale: f32[3]
      user_input %x: f32[2, 3]
      %custom: f32[2, 3] = my::scaled(x=%x, scale=%scale)
      %e: f32[2, 3] = aten::erf(self=%custom)
      %sums: f32[2, 3] = aten::cumsum(self=%e, dim=1)
      %after: f32[2, 3] = my::scaled(x=%sums, scale=%scale)
      %lg: f32[2, 3] = aten::lgamma(self=%after)
      return %lg`);
    const backend = await webgpu({ device });
    const executable = await backend.compile({ program: twice, weights, registry: registryOf([], [mine]) });
    await executable.run([x]);
    await executable.run([x]);
    await backend.dispose();
    expect(prepared).toBe(2);
  });
});
