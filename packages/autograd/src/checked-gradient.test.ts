import { parse } from "@pt2/graph";
import { defineOp, type OpRecord, type OpSet } from "@pt2/registry";
import { describe, expect, it } from "vitest";
import { grad } from "./index.ts";
import { runProgram } from "./run-reference.test-helper.ts";

const x = [0.5, -1.5, 2];
const program = parse(`program {
  user_input %x: f64[3]
  forward ("x")
  in_spec tuple(tuple(*), dict())
  out_spec *
  %y: f64[3] = mine::sum_of(self=%x, others=[%x, %x], scale=2)
  %loss: f64[] = aten::sum(self=%y)
  return %loss
}`);

/** The set with an op whose gradient is what `gradient` returns; a value that is no function is the rule itself. */
function setOf(gradient: unknown): OpSet {
  const op = defineOp("mine::sum_of(Tensor self, Tensor[] others, float scale) -> Tensor", {
    decompose: ({ self, others }, b) => b.tensor("aten::add.Tensor", { self, other: others[0]! }),
  });
  return { name: "mine", ops: [{ ...op, gradient } as OpRecord] };
}

type Rule = NonNullable<OpRecord["gradient"]>;
type Answer = ReturnType<Rule>;

const gradientOf = async (rule: unknown): Promise<readonly number[]> => {
  const ops = [setOf(rule)];
  return runProgram(await grad(program, { wrt: ["x"], ops }), { x }, ops)[1]!;
};

describe("a gradient rule of a user", () => {
  it("returns gradients by name; what is null or left out has none", async () => {
    const rule = (found: (grad: Answer[string]) => unknown): Rule => {
      return ({ grads: [grad] }) => found(grad!) as Answer;
    };
    expect(await gradientOf(rule((grad) => ({ self: grad, others: [null, grad] })))).toEqual([2, 2, 2]);
    expect(await gradientOf(rule((self) => ({ self })))).toEqual([1, 1, 1]);
    expect(await gradientOf(rule(() => ({ self: null, others: null })))).toEqual([0, 0, 0]);
  });

  it("may come from a part of its set that loads on demand", async () => {
    const { name, ops: given } = setOf(async () => ({}));
    const ops: readonly OpSet[] = [{ name, ops: [], parts: [{ ops: /^mine::/, load: async () => given }] }];
    await expect(grad(program, { wrt: ["x"], ops })).rejects.toMatchObject({ code: "autograd.rule" });
  });

  it.each<[string, unknown, string]>([
    ["a Promise", async () => ({}), "returned a Promise, but rules must be synchronous"],
    ["nothing", () => undefined, "returned nothing, not an object of gradients"],
    ["null", () => null, "returned null, not an object of gradients"],
    ["a list", ({ grads }: Parameters<Rule>[0]) => grads, "returned a list of 1, not an object of gradients"],
    ["a tensor", ({ grads: [grad] }: Parameters<Rule>[0]) => grad, "returned a tensor, not an object of gradients"],
    [
      "a misspelled name",
      ({ grads: [slef] }: Parameters<Rule>[0]) => ({ slef }),
      "returned a gradient for `slef`, which is not a tensor argument; did you mean `self`?",
    ],
    ["a number's gradient", () => ({ scale: null }), "returned a gradient for `scale`, which is not a tensor argument"],
    ["a number", () => ({ self: 5 }), "returned 5 for `self`, not a tensor"],
    ["nothing by name", () => ({ self: undefined }), "returned nothing for `self`, not a tensor"],
    [
      "a tensor of its own making",
      () => ({ self: { dtype: "float64", shape: [3] } }),
      "returned a tensor for `self` that no call of the builder returned",
    ],
    [
      "too short a list",
      ({ grads: [grad] }: Parameters<Rule>[0]) => ({ others: [grad] }),
      "returned a list of 1 for `others`, which is a list of 2 tensors",
    ],
    [
      "an error",
      () => {
        throw new Error("mine");
      },
      "failed: mine",
    ],
    ["no function", 5, "is 5, not a function"],
  ])("that returns %s is refused, with its place", async (_, rule, problem) => {
    await expect(gradientOf(rule)).rejects.toMatchObject({
      code: "autograd.rule",
      what: `The gradient rule of mine::sum_of ${problem}`,
      where: expect.stringContaining("mine::sum_of"),
    });
  });

  it("keeps what it threw as the cause, and errors with a code as they are", async () => {
    const mine = new Error("mine");
    const throwing = (): never => {
      throw mine;
    };
    await expect(gradientOf(throwing)).rejects.toMatchObject({ cause: mine });
    const wrong: Rule = (_, b) => ({ self: b.tensor("aten::tanh", {} as never) });
    await expect(gradientOf(wrong)).rejects.toMatchObject({ code: "registry.argument" });
  });
});
