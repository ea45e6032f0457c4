import type { WeightTensor } from "@pt2/format";
import { isGradient, type Program, parse, print, validate } from "@pt2/graph";
import { defineOp, type OpSet } from "@pt2/registry";
import { scalar } from "@pt2/registry/scalar";
import { describe, expect, it } from "vitest";
import { grad, tieParameters, withLoss } from "./index.ts";
import { ofInput, runProgram } from "./run-reference.test-helper.ts";

const x = [0.5, -1.5, 2];

/** A program of one input `x` that returns one number; `body` computes `%y`. */
const gradientOf = async (program: Program, ops: readonly OpSet[] = []): Promise<readonly number[]> => {
  const made = await grad(program, { wrt: ["x"], ops });
  expect(validate(made)).toEqual([]);
  return runProgram(made, { x }, ops)[1]!;
};

describe("grad", () => {
  it("returns what the program returns, and then the gradients", async () => {
    const made = await grad(ofInput("%y: f64[3] = aten::mul.Tensor(self=%x, other=%x)"), { wrt: ["x"] });
    expect(made.outputs).toEqual([{ kind: "loss_output" }, { kind: "gradient_to_user_input", target: "x" }]);
    const [loss, gradient] = runProgram(made, { x });
    expect(loss).toEqual([6.5]);
    expect(gradient).toEqual(x.map((value) => 2 * value));
  });

  it("an input that the loss does not depend on has zeros", async () => {
    expect(await gradientOf(ofInput("%y: f64[2] = aten::full(size=[2], fill_value=1, dtype=torch.float64)"))).toEqual([
      0, 0, 0,
    ]);
  });

  it("detach and regions without gradients cut it off", async () => {
    const detached = ofInput(`%d: f64[3] = aten::detach(self=%x)
      %y: f64[3] = aten::mul.Tensor(self=%x, other=%d)`);
    expect(await gradientOf(detached)).toEqual(x);
    const region = ofInput(`%d: f64[3] = higher_order::wrap_with_set_grad_enabled(false, graph inner(%a: f64[3]) {
        %b: f64[3] = aten::exp(self=%a)
        return %b
      }, %x)
      %y: f64[3] = aten::mul.Tensor(self=%x, other=%d)`);
    const found = await gradientOf(region);
    for (const [i, value] of x.entries()) expect(found[i]).toBeCloseTo(Math.exp(value), 12);
  });

  it("also where something is written to in place", async () => {
    const written = `%c: f64[3] = aten::mul.Tensor(self=%x, other=%x)
      %e: f64[3] = aten::add_.Scalar(self=%c, other=1)`;
    const detached = ofInput(`${written}
      %d: f64[3] = aten::detach(self=%e)
      %y: f64[3] = aten::mul.Tensor(self=%x, other=%d)`);
    expect(await gradientOf(detached)).toEqual(x.map((value) => value * value + 1));
    const region = ofInput(`${written}
      %d: f64[3] = higher_order::wrap_with_set_grad_enabled(false, graph inner(%a: f64[3]) {
        %b: f64[3] = aten::neg(self=%a)
        return %b
      }, %e)
      %y: f64[3] = aten::mul.Tensor(self=%x, other=%d)`);
    expect(await gradientOf(region)).toEqual(x.map((value) => -(value * value + 1)));
    const inPlace = ofInput(`${written}
      %d: f64[3] = aten::detach_(self=%e)
      %y: f64[3] = aten::mul.Tensor(self=%x, other=%d)`);
    expect(await gradientOf(inPlace)).toEqual(x.map((value) => value * value + 1));
  });

  it("a region without gradients writes, and the gradient knows nothing of that", async () => {
    const program = ofInput(`%c: f64[3] = aten::mul.Tensor(self=%x, other=%x)
      %d: f64[3] = higher_order::wrap_with_set_grad_enabled(false, graph inner(%a: f64[3]) {
        %b: f64[3] = aten::mul_.Scalar(self=%a, other=3)
        return %b
      }, %c)
      %y: f64[3] = aten::mul.Tensor(self=%d, other=%c)`);
    // Twice three times the square of x, which has the gradient of the square.
    expect(await gradientOf(program)).toEqual(x.map((value) => 2 * 3 * value * value * 2 * value));
  });

  it("a detached tensor shares memory: both have what is written to one of them", async () => {
    const through = ofInput(`%c: f64[3] = aten::mul.Tensor(self=%x, other=%x)
      %d: f64[3] = aten::detach(self=%c)
      %e: f64[3] = aten::clamp_(self=%d, min=1, max=2)
      %s: f64[3] = aten::mul.Tensor(self=%c, other=%d)
      %y: f64[3] = aten::mul.Tensor(self=%s, other=2)`);
    // As PyTorch has it: the elements are the clamped ones, and the gradient knows nothing of that.
    const clamped = x.map((value) => Math.min(Math.max(value * value, 1), 2));
    expect(await gradientOf(through)).toEqual(x.map((value, i) => 2 * clamped[i]! * 2 * value));
    const made = await grad(through, { wrt: ["x"] });
    expect(runProgram(made, { x })[0]).toEqual([clamped.reduce((sum, value) => sum + 2 * value * value, 0)]);
    const behind = ofInput(`%c: f64[3] = aten::mul.Tensor(self=%x, other=%x)
      %d: f64[3] = aten::detach(self=%c)
      %e: f64[3] = aten::mul_.Scalar(self=%c, other=3)
      %y: f64[3] = aten::mul.Tensor(self=%x, other=%d)`);
    expect(await gradientOf(behind)).toEqual(x.map((value) => 3 * value * value));
  });

  it("a result that is used twice has the sum of both gradients", async () => {
    const program = ofInput(`%e: f64[3] = aten::exp(self=%x)
      %m: f64[3] = aten::mul.Tensor(self=%e, other=%x)
      %y: f64[3] = aten::add.Tensor(self=%m, other=%e)`);
    const found = await gradientOf(program);
    for (const [i, value] of x.entries()) expect(found[i]).toBeCloseTo(Math.exp(value) * (2 + value), 12);
  });

  it.each(["std", "std.dim", "std.correction", "std_mean"])(
    "%s of elements that are all the same has none",
    async (op) => {
      const args = op === "std.dim" || op === "std.correction" ? "self=%s, dim=[0], keepdim=true" : "self=%s";
      const results = op === "std_mean" ? "%d: f64[], %m: f64[]" : args === "self=%s" ? "%d: f64[]" : "%d: f64[1]";
      const program = ofInput(`%z: f64[3] = aten::sub.Tensor(self=%x, other=%x)
      %s: f64[3] = aten::add.Tensor(self=%z, other=0.1)
      ${results} = aten::${op}(${args})
      %y: f64[3] = aten::add.Tensor(self=%x, other=%d)`);
      expect(await gradientOf(program)).toEqual([1, 1, 1]);
    },
  );

  it("what an in-place call writes to says nothing of its gradients, nor of simpler ops in its place", async () => {
    const scaled = ofInput(`%c: f64[3] = aten::mul.Tensor(self=%x, other=%x)
      %m: f64[1] = aten::sum.dim_IntList(self=%x, dim=[0], keepdim=true)
      %y: f64[3] = aten::mul_.Tensor(self=%c, other=%m)`);
    expect(await gradientOf(scaled)).toEqual([7.5, 3.5, 10.5]);
    const filled = ofInput(`%c: f64[3] = aten::mul.Tensor(self=%x, other=2)
      %m: bool[3] = aten::lt.Scalar(self=%x, other=0)
      %y: f64[3] = aten::masked_fill_.Scalar(self=%c, mask=%m, value=1)`);
    expect(await gradientOf(filled)).toEqual([2, 0, 2]);
    const wrong = ofInput(`%c: f64[1] = aten::sum.dim_IntList(self=%x, dim=[0], keepdim=true)
      %y: f64[1] = aten::mul_.Tensor(self=%c, other=%x)`);
    await expect(grad(wrong, { wrt: ["x"] })).rejects.toMatchObject({ code: "registry.argument" });
  });

  it("a number is written where a mask says", async () => {
    const program = ofInput(`%c: f64[3] = aten::mul.Tensor(self=%x, other=2)
      %m: bool[3] = aten::gt.Scalar(self=%x, other=0)
      %v: f64[] = aten::sum(self=%x)
      %w: f64[] = aten::detach(self=%v)
      %a: f64[3] = aten::index_put(self=%c, indices=[%m], values=%w)
      %b: f64[3] = aten::index_put(self=%c, indices=[%m], values=%v)
      %y: f64[3] = aten::add.Tensor(self=%a, other=%b)`);
    // Two of three elements are %v, once.
    expect(await gradientOf(program)).toEqual([2, 6, 2]);
  });

  it("gradients of gradients: the second derivative", async () => {
    const cube = parse(`program {
      user_input %x: f64[1]
      forward ("x")
      in_spec tuple(tuple(*), dict())
      out_spec *
      %s: f64[1] = aten::mul.Tensor(self=%x, other=%x)
      %c: f64[1] = aten::mul.Tensor(self=%s, other=%x)
      return %c
    }`);
    const twice = await grad(await grad(cube, { wrt: ["x"] }), { of: 1, wrt: ["x"] });
    expect(twice.outputs.map(({ kind }) => kind)).toEqual(["user_output", "loss_output", "gradient_to_user_input"]);
    expect(runProgram(twice, { x: [2] })).toEqual([[8], [12], [12]]);
  });

  it("random numbers are drawn once", async () => {
    const made = await grad(ofInput("%y: f64[3] = aten::dropout(input=%x, p=0.5, train=true)"), { wrt: ["x"] });
    const ops = made.graph.nodes.map(({ op }) => op);
    expect(ops.filter((op) => /dropout|rand|bernoulli/.test(op))).toEqual([
      "aten::native_dropout",
      "aten::native_dropout_backward",
    ]);
  });
});

describe("ops of others", () => {
  const twice = "mine::twice(Tensor self) -> Tensor";
  const setOf = (...ops: OpSet["ops"]): OpSet => ({ name: "mine", ops });
  const program = ofInput("%y: f64[3] = mine::twice(self=%x)");

  it("gradients flow through their decompositions", async () => {
    const op = defineOp(twice, { decompose: ({ self }, b) => b.tensor("aten::mul.Tensor", { self, other: 2 }) });
    expect(await gradientOf(program, [setOf(op)])).toEqual([2, 2, 2]);
  });

  it("their own rule takes precedence", async () => {
    const op = defineOp(twice, {
      decompose: ({ self }, b) => b.tensor("aten::mul.Tensor", { self, other: 2 }),
      gradient: ({ grads: [grad] }, b) => ({ self: b.tensor("aten::mul.Tensor", { self: grad!, other: 7 }) }),
    });
    expect(await gradientOf(program, [setOf(op)])).toEqual([7, 7, 7]);
  });

  it("a choice in an expression chooses the gradient too, which may be infinite where it is not taken", async () => {
    const op = defineOp(twice, { scalar: (x) => scalar.select(scalar.gt(x, 1), scalar.mul(x, 2), 3) });
    const made = await gradientOf(
      ofInput(`%p: f64[3] = mine::twice(self=%x)
        %z: f64[3] = aten::sub.Tensor(self=%p, other=3)
        %y: f64[3] = aten::reciprocal(self=%z)`),
      [setOf(op)],
    );
    expect(made.map((value) => Number.isNaN(value))).toEqual([false, false, false]);
  });

  it("a rule whose gradient has another shape is refused", async () => {
    const op = defineOp(twice, {
      infer: ({ self }) => self,
      gradient: ({ grads: [grad] }, b) => ({ self: b.tensor("aten::sum", { self: grad! }) }),
    });
    await expect(grad(program, { wrt: ["x"], ops: [setOf(op)] })).rejects.toMatchObject({ code: "autograd.rule" });
  });

  it("an op without a rule is named, with its place", async () => {
    const op = defineOp(twice, { infer: ({ self }) => self });
    await expect(grad(program, { wrt: ["x"], ops: [setOf(op)] })).rejects.toMatchObject({
      code: "autograd.no-gradient",
      what: "mine::twice has no gradient rule, and the loss depends on it",
      where: expect.stringContaining("mine::twice"),
    });
  });

  it("an op that no set has is named, with its place", async () => {
    await expect(grad(program, { wrt: ["x"] })).rejects.toMatchObject({
      code: "autograd.unknown-op",
      what: "mine::twice is not known",
      where: expect.stringContaining("mine::twice"),
    });
  });
});

describe("what is refused", () => {
  it("a loss that is not one number", async () => {
    const several = parse(`program {
      user_input %x: f64[3]
      forward ("x")
      in_spec tuple(tuple(*), dict())
      out_spec tuple(*, *)
      %a: f64[] = aten::sum(self=%x)
      %b: f64[] = aten::mean(self=%x)
      return %a, %b
    }`);
    await expect(grad(several, { wrt: ["x"] })).rejects.toMatchObject({ code: "autograd.of" });
    await expect(grad(several, { wrt: ["x"], of: 2 })).rejects.toMatchObject({ code: "autograd.of" });
    expect(runProgram(await grad(several, { wrt: ["x"], of: 0 }), { x })[2]).toEqual([1, 1, 1]);
  });

  it("names that the program does not have, and sizes that are not numbers", async () => {
    const dynamic = parse(`program {
      range s0 = [2, 64]
      user_input %x: f64[s0]
      forward ("x")
      in_spec tuple(tuple(*), dict())
      out_spec *
      %m: f64[s0] = aten::mul.Tensor(self=%x, other=%x)
      %y: f64[] = aten::mean(self=%m)
      return %y
    }`);
    await expect(grad(dynamic, { wrt: ["w"], shapes: { x: [3] } })).rejects.toMatchObject({ code: "autograd.wrt" });
    await expect(grad(dynamic, { wrt: ["x"], shapes: { z: [3] } })).rejects.toMatchObject({ code: "autograd.wrt" });
    await expect(grad(dynamic, { wrt: ["x"] })).rejects.toMatchObject({ code: "autograd.sizes" });
    const [, gradient] = runProgram(await grad(dynamic, { wrt: ["x"], shapes: { x: [3] } }), { x });
    for (const [i, value] of x.entries()) expect(gradient![i]).toBeCloseTo((2 * value) / 3, 12);
  });

  it("sizes that depend on data", async () => {
    const masked = ofInput(`%m: bool[3] = aten::gt.Scalar(self=%x, other=0)
      %y: f64[u0] = aten::masked_select(self=%x, mask=%m)`);
    await expect(grad(masked, { wrt: ["x"] })).rejects.toMatchObject({ code: "autograd.sizes" });
  });
});

describe("parameters that share memory", () => {
  const program = parse(`program {
    parameter "a" = %p_a: f64[3]
    parameter "b" = %p_b: f64[3]
    user_input %x: f64[3]
    forward ("x")
    in_spec tuple(tuple(*), dict())
    out_spec *
    %m: f64[3] = aten::mul.Tensor(self=%x, other=%p_a)
    %n: f64[3] = aten::mul.Tensor(self=%m, other=%p_b)
    %y: f64[] = aten::sum(self=%n)
    return %y
  }`);
  const weight = (name: string, id: string): WeightTensor => ({
    name,
    kind: "parameter",
    dtype: "float64",
    shape: [3],
    strides: [1],
    storageOffset: 0,
    storage: { id, entry: id, nbytes: 24, read: async () => new Uint8Array(24) },
    requiresGrad: true,
    device: { type: "cpu", index: null },
  });

  it("are one, whose gradient is the sum over all uses", async () => {
    const weights = new Map([
      ["a", weight("a", "w")],
      ["b", weight("b", "w")],
    ]);
    expect([...tieParameters(program, weights).tied]).toEqual([["b", "a"]]);
    const made = await grad(program, { weights });
    expect(made.outputs.filter(isGradient)).toEqual([{ kind: "gradient_to_parameter", target: "a" }]);
    const [, gradient] = runProgram(made, { x, a: [1, 2, 3] });
    expect(gradient).toEqual(x.map((value, i) => 2 * value * (i + 1)));
  });

  it("stay apart where they do not", async () => {
    const made = await grad(program);
    expect(made.outputs.filter(isGradient)).toHaveLength(2);
  });
});

describe("withLoss", () => {
  const logits = parse(`program {
    parameter "w" = %p_w: f64[4, 3]
    user_input %x: f64[2, 3]
    forward ("x")
    in_spec tuple(tuple(*), dict())
    out_spec *
    %y: f64[2, 4] = aten::linear(input=%x, weight=%p_w)
    return %y
  }`);

  it("adds a target and a loss, which grad differentiates", async () => {
    const complete = withLoss(logits);
    expect(validate(complete)).toEqual([]);
    expect(complete.forwardArgs).toEqual(["x", "target"]);
    expect(complete.graph.values.get("target")).toMatchObject({ dtype: "int64", shape: [2] });
    const made = await grad(complete, { of: 0 });
    expect(made.outputs.map(({ kind }) => kind)).toEqual(["loss_output", "user_output", "gradient_to_parameter"]);
    const inputs = { x: [1, 2, 3, -1, 0, 1], w: new Array(12).fill(0), target: [0, 3] };
    const [loss, , gradient] = runProgram(made, inputs);
    expect(loss![0]).toBeCloseTo(Math.log(4), 12);
    // Softmax is a quarter everywhere: (1/4 - 1) x at the target, over the batch of two.
    expect(gradient!.slice(0, 3).map((value) => Number(value.toFixed(12)))).toEqual([-0.5, -0.75, -1]);
  });

  it("the target is the last keyword of a program that is called with keywords", () => {
    const text = print(logits).replace("tuple(tuple(*), dict())", 'tuple(tuple(), dict("x": *, "mask": *))');
    const called = parse(text.replace("user_input %x: f64[2, 3]", "user_input %x: f64[2, 3]\n  user_input %m: f64[2]"));
    const complete = withLoss({ ...called, forwardArgs: ["x", "mask"] });
    expect(validate(complete)).toEqual([]);
    expect(complete.forwardArgs).toEqual(["x", "mask", "target"]);
    expect(complete.graph.inputs.slice(-3)).toEqual(["x", "m", "target"]);
    expect(complete.inSpec?.children[1]?.context).toEqual(["x", "mask", "target"]);
  });

  it("a target of another loss has the type of the result", () => {
    const complete = withLoss(logits, { loss: "aten::mse_loss" });
    expect(complete.graph.values.get("target")).toMatchObject({ dtype: "float64", shape: [2, 4] });
    expect(() => withLoss(logits, { of: 1 })).toThrow("Result 1 of the program is not a tensor");
  });
});
