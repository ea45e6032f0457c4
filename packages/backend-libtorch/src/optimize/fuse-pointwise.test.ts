import { type HostTensor, hostTensor } from "@pt2/backend";
import { numel } from "@pt2/format";
import { stats } from "@pt2/graph";
import { randomUnit } from "@pt2/testing/random";
import { describe, expect, it } from "vitest";
import { LibtorchBackend } from "../backend.ts";
import { describeWithLibtorch } from "../libtorch.test-helper.ts";
import { compileBody } from "../programs.test-helper.ts";
import { fusePointwise } from "./fuse-pointwise.ts";
import { cpu, program, text } from "./passes.test-helper.ts";
import { POINTWISE_FNS } from "./pointwise-code.ts";

const target = cpu(["pt2::pointwise"]);
const opsAfter = (body: string, on = target): readonly string[] =>
  stats(fusePointwise(program(body), on).graph).map(({ op, count }) => (count === 1 ? op : `${count} × ${op}`));

describe("fusePointwise", () => {
  it("joins a chain, with the results that are read elsewhere", () => {
    const before = program(`user_input %x: f32[2, 3]
      user_input %w: f32[3]
      %a: f32[2, 3] = aten::mul.Tensor(%x, other=%w)
      %b: f32[2, 3] = aten::add.Tensor(%a, other=%x, alpha=2)
      %c: f32[2, 3] = aten::sqrt(%b)
      %d: bool[2, 3] = aten::gt.Scalar(%c, other=0.5)
      return %b, %c, %d`);
    expect(text(fusePointwise(before, target))).toMatchInlineSnapshot(`
      "user_input %x: f32[2, 3]
      user_input %w: f32[3]
      pointwise: [%b: f32[2, 3], %c: f32[2, 3], %d: bool[2, 3]] = pt2::pointwise(inputs=[%x, %w], constants=[2.0, 0.5], code=[9, 4, 0, 1, 0, 9, 5, 0, 2, 0, 7, 5, 4, 5, 0, 3, 4, 5, 0, 0, 17, 6, 4, 3, 0], results=[5, 4], masks=[6])
      return %b, %c, %d"
    `);
  });

  it("computes what occurs twice once", () => {
    const before = program(`user_input %x: f32[4]
      %y: f32[4] = aten::silu(%x)
      %z: f32[4] = aten::silu_backward(grad_output=%x, self=%x)
      %s: f32[4] = aten::add.Tensor(%y, other=%z)
      return %s`);
    const { graph } = fusePointwise(before, target);
    const [node] = graph.nodes;
    expect(graph.nodes).toHaveLength(1);
    const code = node!.args.find(({ name }) => name === "code")!.arg;
    const fns =
      code.kind === "list" ? code.items.filter((_, i) => i % 5 === 0).map((item) => "value" in item && item.value) : [];
    expect(fns.filter((fn) => fn === POINTWISE_FNS.indexOf("exp"))).toHaveLength(1);
  });

  it("knows that a matrix product is contiguous, and stays so with other sizes", () => {
    const large = (first: string): readonly string[] =>
      opsAfter(`user_input %x: f32[64, 64]
        %p: f32[64, 64] = ${first}
        %r: f32[2, 32, 64] = aten::reshape(%p, shape=[2, 32, 64])
        %t: f32[2, 32, 64] = aten::tanh(%r)
        return %t`);
    expect(large("aten::mm(%x, mat2=%x)")).toContain("pt2::pointwise");
    expect(large("aten::transpose.int(%x, dim0=0, dim1=1)")).toContain("aten::tanh");
  });

  it("joins what follows a part of a tensor, but not what follows one that may lie in memory once", () => {
    const after = (first: string): readonly string[] =>
      opsAfter(`user_input %x: f32[8, 64]
        user_input %y: f32[4, 64]
        %w: f32[8, 64] = ${first}
        %p: f32[4, 64] = aten::slice.Tensor(%w, dim=0, start=0, end=4)
        %a: f32[4, 64] = aten::neg(%p)
        %b: f32[4, 64] = aten::mul.Tensor(%a, other=%y)
        return %b`);
    expect(after("aten::neg(%x)")).toContain("pt2::pointwise");
    expect(after("aten::expand(%x, size=[8, 64])")).not.toContain("pt2::pointwise");
  });

  it("joins factors of one element, but not tensors of one dimension, which may decide the order of memory", () => {
    const after = (shape: string): readonly string[] =>
      opsAfter(`user_input %x: f32[2, 3, 5]
        user_input %s: f32[${shape}]
        %r: f32[2, 3, 5] = aten::neg(%x)
        %p: f32[2, 3, 5] = aten::mul.Tensor(%s, other=%r)
        %y: f32[2, 3, 5] = aten::add.Tensor(%p, other=%s)
        return %y`);
    expect(after("1")).toEqual(["pt2::pointwise"]);
    expect(after("1, 1")).toEqual(["pt2::pointwise"]);
    expect(after("5")).not.toContain("pt2::pointwise");
  });

  it("takes the place of the last node, and ends where a node outside reads", () => {
    expect(
      opsAfter(`user_input %x: f32[4, 4]
        %a: f32[4, 4] = aten::neg(%x)
        %b: f32[4, 4] = aten::exp(%a)
        %p: f32[4, 4] = aten::mm(%b, mat2=%x)
        %c: f32[4, 4] = aten::abs(%b)
        %d: f32[4, 4] = aten::mul.Tensor(%c, other=%p)
        return %d`),
    ).toEqual(["2 × pt2::pointwise", "aten::mm"]);
  });

  it.each([
    [
      "another number of sizes",
      "f32[3]",
      "aten::mul.Tensor(%x, other=2.0)",
      "f32[2, 3]",
      "aten::add.Tensor(%w, other=%a)",
    ],
    ["another dtype", "f32[3]", "aten::neg(%x)", "f64[3]", "aten::to.dtype(%a, dtype=torch.float64)"],
    ["a function that the kernel lacks", "f32[3]", "aten::neg(%x)", "f32[3]", "aten::lgamma(%a)"],
  ])("leaves nodes of %s apart", (_, type, call, nextType, next) => {
    const body = `user_input %x: f32[3]
      user_input %w: f32[2, 3]
      %a: ${type} = ${call}
      %b: ${nextType} = ${next}
      return %b`;
    expect(opsAfter(body)).not.toContain("pt2::pointwise");
  });

  it("does not read what a node in between may write", () => {
    const body = (between: string): string => `buffer "b" = %b: f32[3]
      user_input %x: f32[3]
      %a: f32[3] = aten::neg(%b)
      ${between}
      %c: f32[3] = aten::exp(%a)
      return %c`;
    expect(opsAfter(body(""))).toEqual(["pt2::pointwise"]);
    const written = opsAfter(body("%w: f32[3] = aten::copy_(%b, src=%x)"));
    expect([...written].sort()).toEqual(["aten::copy_", "aten::exp", "aten::neg"]);
  });

  it("joins what follows the layout of one tensor, and an update of parameters", () => {
    const update = (kind: (name: string) => string): string => `${kind("m")} %m: f32[4, 4]
      ${kind("w")} %w: f32[4, 4]
      user_input %x: f32[4, 4]
      %g: f32[4, 4] = aten::mm(%x, mat2=%x)
      %a: f32[4, 4] = aten::lerp.Scalar(%m, end=%g, weight=0.1)
      %b: f32[4, 4] = aten::mul.Tensor(%a, other=0.5)
      %c: f32[4, 4] = aten::sub.Tensor(%w, other=%b)
      return %a, %c`;
    const sorted = (body: string): readonly string[] => [...opsAfter(body)].sort();
    expect(sorted(update((name) => `parameter "${name}" =`))).toEqual(["aten::mm", "pt2::pointwise"]);
    // Tensors of users may lie in memory in any order, and so may results of PyTorch's kernels.
    expect(sorted(update(() => "user_input"))).toEqual(["aten::mm", "aten::sub.Tensor", "pt2::pointwise"]);
    const expanded = `user_input %x: f32[4, 1]
      user_input %y: f32[4, 4]
      %e: f32[4, 4] = aten::expand(%x, size=[4, 4])
      %a: f32[4, 4] = aten::mul.Tensor(%e, other=%y)
      %b: f32[4, 4] = aten::neg(%a)
      return %b`;
    expect(opsAfter(expanded)).not.toContain("pt2::pointwise");
  });

  it("leaves what nothing reads", () => {
    const body = `user_input %x: f32[3]
      %a: f32[3] = aten::neg(%x)
      %b: f32[3] = aten::exp(%a)
      return %x`;
    expect([...opsAfter(body)].sort()).toEqual(["aten::exp", "aten::neg"]);
  });

  const CHAIN = `user_input %x: f32[3]
    %a: f32[3] = aten::neg(%x)
    %b: f32[3] = aten::exp(%a)
    return %b`;

  it("needs the kernel, and leaves the ops that a handler takes", () => {
    const before = program(CHAIN);
    expect(fusePointwise(before, cpu())).toBe(before);
    expect(opsAfter(CHAIN, cpu(["pt2::pointwise"], ["aten::exp"]))).toEqual(["aten::neg", "aten::exp"]);
  });

  it("splits what needs more registers than there are", () => {
    const inputs = Array.from({ length: 40 }, (_, i) => `user_input %x${i}: f32[3]`);
    const sums = inputs.slice(1).map((_, i) => `%s${i + 1}: f32[3] = aten::add.Tensor(%s${i}, other=%x${i + 1})`);
    const body = [...inputs, "%s0: f32[3] = aten::neg(%x0)", ...sums, "return %s39"].join("\n");
    expect(opsAfter(body)).toEqual(["3 × pt2::pointwise"]);
  });
});

/** Bodies that give every function of the kernel the values of `SPECIAL`, joined with another op. */
const CALLS: readonly string[] = [
  ...["neg", "abs", "sqrt", "exp", "tanh", "erf", "sigmoid", "silu", "relu", "isnan", "isinf"].map(
    (op) => `aten::${op}(%s)`,
  ),
  ...["add", "sub", "mul", "div"].map((op) => `aten::${op}.Tensor(%s, other=%y)`),
  ...["eq", "ne", "lt", "le", "gt", "ge"].map((op) => `aten::${op}.Tensor(%s, other=%y)`),
  ...["minimum", "maximum", "fmin", "logical_and", "logical_or", "logical_xor"].map(
    (op) => `aten::${op}(%s, other=%y)`,
  ),
  "aten::logical_not(%s)",
  "aten::where.self(condition=%m, self=%s, other=%y)",
  "aten::clamp(%s, min=-0.5, max=0.75)",
  "aten::pow.Tensor_Scalar(%s, exponent=2)",
  'aten::gelu(%s, approximate="tanh")',
  "aten::gelu(%s)",
  "aten::lerp.Scalar(%s, end=%y, weight=0.1)",
  "aten::addcdiv(%s, tensor1=%y, tensor2=%x, value=-0.5)",
  "aten::threshold_backward(grad_output=%y, self=%s, threshold=0)",
  "aten::gelu_backward(grad_output=%y, self=%s)",
  "aten::silu_backward(grad_output=%y, self=%s)",
];
const SPECIAL = [Number.NaN, Infinity, -Infinity, 0, -0, 1e-40, 1e37, -1e37, 89, -89, 105, -105, 0.5, -3];

describeWithLibtorch("joined elementwise nodes give the results of the single ones", ({ addon }) => {
  const backend = new LibtorchBackend(addon);

  async function results(
    body: string,
    inputs: readonly HostTensor[],
    precision: "exact" | "fast",
  ): Promise<number[][]> {
    await using executable = await compileBody(backend, body, {}, { precision });
    const values = await executable.run(inputs);
    return await Promise.all(
      values.map(async (value) => Array.from((await (value as HostTensor).read()) as Float32Array, Number)),
    );
  }

  /**
   * The mode promises 1e-4 of the largest element; here each element is held to 34 units in its last place, because `exp`,
   * `tanh` and `erf`, of which several follow one another in a call, are approximations to two units in the last place.
   * `absolute`: what a result may be off where its own terms cancel, as 1 + erf(x) of gelu does far below zero.
   */
  async function expectSame(body: string, inputs: readonly HostTensor[], absolute = 1e-37): Promise<void> {
    const [fast, exact] = [await results(body, inputs, "fast"), await results(body, inputs, "exact")];
    expect(fast.map((values) => values.length)).toEqual(exact.map((values) => values.length));
    const wrong = exact.flatMap((values, i) =>
      values.flatMap((value, at) => {
        const found = fast[i]![at]!;
        const isClose = Math.abs(found - value) <= 4e-6 * Math.abs(value) + absolute;
        return Object.is(found, value) || isClose ? [] : [`${found}, not ${value}, at ${at} of ${i}`];
      }),
    );
    expect(wrong).toEqual([]);
  }

  /** Special values against each other, then numbers; more than one block of the kernel, and a part of a vector. */
  const numbers = (shape: readonly number[], seed: number, stride: number): HostTensor => {
    const next = randomUnit(seed);
    const element = (i: number): number =>
      i < SPECIAL.length ** 2 ? SPECIAL[Math.floor(i / stride) % SPECIAL.length]! : next() * 8 - 4;
    return hostTensor(
      "float32",
      shape,
      Float32Array.from({ length: numel(shape) }, (_, i) => element(i)),
    );
  };
  const mask = (shape: readonly number[]): HostTensor =>
    hostTensor(
      "bool",
      shape,
      Uint8Array.from({ length: numel(shape) }, (_, i) => ((i * 7) % 3) & 1),
    );

  it.each(CALLS)("%s", async (call) => {
    const type = /isnan|isinf|logical|::(eq|ne|lt|le|gt|ge)\./.test(call) ? "bool" : "f32";
    const body = `user_input %x: f32[613]
      user_input %y: f32[613]
      user_input %m: bool[613]
      %s: f32[613] = aten::neg(%x)
      %z: ${type}[613] = ${call}
      return %z, %s`;
    const [x, y] = [numbers([613], 1, 1), numbers([613], 2, SPECIAL.length)];
    // PyTorch's own gelu of infinity is NaN in one memory format, and infinity in another.
    const isGelu = /gelu(_backward)?\((?!.*tanh)/.test(call);
    if (isGelu)
      for (const { data } of [x, y])
        (data as Float32Array).forEach((value, i, all) => {
          if (!Number.isFinite(value)) all[i] = 1.5;
        });
    await expectSame(body, [x, y, mask([613])], isGelu ? 1e-6 : undefined);
  });

  it.each([
    ["a row, a column and a number", "f32[7, 31]", "f32[31]", "f32[7, 1]", "f32[]"],
    ["planes", "f32[3, 5, 2, 2]", "f32[5, 1, 1]", "f32[3, 1, 1, 1]", "f32[1]"],
    ["rows longer than a block", "f32[3, 700]", "f32[700]", "f32[3, 1]", "f32[]"],
    ["many short rows", "f32[301, 3]", "f32[301, 1]", "f32[3]", "f32[1, 3]"],
    ["enough for several threads", "f32[2, 70001]", "f32[70001]", "f32[2, 1]", "f32[]"],
    ["rows for several threads", "f32[2, 70001]", "f32[70001]", "f32[2, 1]", "f32[]"],
    ["nothing", "f32[0, 3]", "f32[3]", "f32[1]", "f32[]"],
  ])("broadcast over %s", async (_, type, ...others) => {
    const body = `user_input %x: ${type}
      ${others.map((other, i) => `user_input %o${i}: ${other}`).join("\n")}
      %a: ${type} = aten::mul.Tensor(%x, other=%o0)
      %b: ${type} = aten::add.Tensor(%a, other=%o1)
      %c: ${type} = aten::div.Tensor(%b, other=%o2)
      %d: bool${type.slice(3)} = aten::gt.Tensor(%c, other=%o1)
      %e: ${type} = aten::where.self(condition=%d, self=%a, other=%c)
      return %b, %d, %e`;
    const shapeOf = (text: string): readonly number[] => JSON.parse(text.slice(3)) as number[];
    const inputs = [type, ...others].map((one, i) => numbers(shapeOf(one), i + 3, i + 1));
    await expectSame(body, inputs);
  });

  it("of transposed tensors and slices", async () => {
    const body = `user_input %x: f32[37, 41]
      user_input %y: f32[41, 37]
      %t: f32[37, 41]{strides=[1, 37]} = aten::t(%y)
      %a: f32[37, 41] = aten::mul.Tensor(%x, other=%t)
      %b: f32[37, 41] = aten::add.Tensor(%a, other=%t)
      %u: f32[41, 37]{strides=[1, 41]} = aten::t(%x)
      %c: f32[41, 37]{strides=[1, 41]} = aten::neg(%u)
      %d: f32[41, 37]{strides=[1, 41]} = aten::mul.Tensor(%c, other=%u)
      %s: f32[37, 20]{strides=[41, 2]} = aten::slice.Tensor(%b, dim=1, start=1, end=41, step=2)
      %f: f32[37, 20] = aten::abs(%s)
      %g: f32[37, 20] = aten::sqrt(%f)
      return %b, %d, %g`;
    await expectSame(body, [numbers([37, 41], 7, 3), numbers([41, 37], 8, 1)]);
  });
});
