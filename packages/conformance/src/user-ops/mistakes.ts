import { defineOp, type HandlerTensor, type OpHandler, type OpRecord } from "@pt2/registry";
import { scalar as s } from "@pt2/registry/scalar";
import { floats } from "../programs.ts";
import { userSet } from "./records.ts";
import type { UserOpsCase } from "./user-ops-case.ts";

const SCHEMA = "mine::odd(Tensor self) -> Tensor";

const PROGRAM = `program {
  user_input %x: f32[s0, 3]
  %v: f32[s0, 3] = mine::odd(self=%x)
  %y: f32[s0, 3] = aten::neg(%v)
  return %y
}`;

const TWO = `program {
  user_input %x: f32[3]
  %a: f32[3], %b: f32[3] = mine::pair(self=%x)
  %y: f32[3] = aten::add.Tensor(%a, other=%b)
  return %y
}`;

const runs = [{ inputs: [floats([2, 3], 1, 2, 3, 4, 5, 6)], outputs: [] }];

/** The type of rules that TypeScript would reject. */
type AnyRules = Parameters<typeof defineOp<typeof SCHEMA>>[1];

function wrongRule(name: string, rules: unknown, message: RegExp, code = "registry.rule"): UserOpsCase {
  const record: OpRecord = defineOp(SCHEMA, rules as AnyRules);
  return { name: `mistake: ${name}`, sets: userSet(record), program: PROGRAM, runs, refused: { code, message } };
}

function wrongHandler(name: string, handler: unknown, message: RegExp, code = "registry.result"): UserOpsCase {
  const handlers = [{ ops: ["mine::odd"], ...(handler as object) }] as readonly OpHandler[];
  return { name: `mistake: ${name}`, handlers, program: PROGRAM, runs, refused: { code, message } };
}

/** Makes a handler whose function returns the result of `make`. */
const returning = (make: (self: HandlerTensor) => unknown) => ({
  compile:
    () =>
    ({ args }: { readonly args: Readonly<Record<string, HandlerTensor>> }) =>
      make(args["self"]!),
});

/** Cases for mistakes of users: each error names the op, and blames its definition rather than the backend. */
export const MISTAKES: readonly UserOpsCase[] = [
  wrongRule(
    "a scalar rule that computes",
    { scalar: (x: unknown) => (x as number) * 2 },
    /`scalar` rule of mine::odd returned NaN, not an expression/,
  ),
  wrongRule(
    "a scalar rule that throws",
    { scalar: (x: { readonly a: { readonly b: unknown } }) => x.a.b },
    /`scalar` rule of mine::odd failed: .*undefined/,
  ),
  wrongRule(
    "an asynchronous decomposition",
    {
      decompose: async ({ self }: never, b: { tensor(op: string, args: object): unknown }) =>
        b.tensor("aten::relu", { self }),
    },
    /`decompose` rule of mine::odd returned a Promise/,
  ),
  wrongRule(
    "a decomposition that returns nothing",
    { decompose: () => undefined },
    /`decompose` rule of mine::odd returned nothing/,
  ),
  wrongRule(
    "a decomposition that returns a tensor of its own",
    { decompose: ({ self }: { readonly self: HandlerTensor }) => ({ dtype: self.dtype, shape: self.shape }) },
    /`decompose` rule of mine::odd returned a tensor float32 \[2, 3\] that no call of the builder returned/,
  ),
  wrongRule(
    "a decomposition of another shape",
    {
      decompose: ({ self }: never, b: { tensor(op: string, args: object): unknown }) =>
        b.tensor("aten::sum.dim_IntList", { self, dim: [0] }),
    },
    /mine::odd returned float32 \[3\] as result 0, but the program declares float32 \[2, 3\]/,
    "registry.result",
  ),
  wrongRule(
    "a scalar rule of another dtype",
    { scalar: (x: never) => s.gt(x, 0), promote: { kind: "bool" } },
    /mine::odd returned bool \[2, 3\] as result 0, but the program declares float32 \[2, 3\]/,
    "registry.result",
  ),
  wrongRule(
    "an inference without a shape",
    {
      infer: ({ self }: { readonly self: HandlerTensor }) => ({ dtype: self.dtype }),
      decompose: ({ self }: never) => self,
    },
    /`infer` rule of mine::odd returned an object that is not a tensor, not a tensor/,
  ),
  wrongRule(
    "a view without strides",
    { view: ({ shape }: object & { shape: unknown }) => ({ shape }) },
    /`view` rule of mine::odd returned/,
  ),
  {
    name: "mistake: a decomposition with one result of two",
    sets: userSet(
      defineOp("mine::pair(Tensor self) -> (Tensor, Tensor)", { decompose: (({ self }: never) => [self]) as never }),
    ),
    program: TWO,
    runs: [{ inputs: [floats([3], 1, 2, 3)], outputs: [] }],
    refused: {
      code: "registry.rule",
      message: /`decompose` rule of mine::pair returned a list of 1, but the op has 2 results/,
    },
  },
  {
    name: "mistake: a record without a rule",
    sets: userSet(defineOp(SCHEMA)),
    program: PROGRAM,
    runs,
    refused: { message: /mine::odd.*its record in op set "mine" has neither scalar, view, decompose nor compute/ },
  },
  wrongHandler(
    "a handler whose `compile` returns no function",
    { compile: () => 7 },
    /handler of mine::odd returned 7, not a function/,
  ),
  wrongHandler(
    "a handler that returns nothing",
    returning(() => undefined),
    /handler of mine::odd returned nothing, not a tensor/,
  ),
  wrongHandler(
    "a handler that returns numbers",
    returning(({ data }) => data),
    /handler of mine::odd returned an object that is not a tensor/,
  ),
  wrongHandler(
    "a handler that returns another shape",
    returning(({ dtype, data }) => ({ dtype, shape: [6], data })),
    /handler of mine::odd returned float32 \[6\] as result 0, but the program declares float32 \[2, 3\]/,
  ),
  wrongHandler(
    "a handler that returns another dtype",
    returning(({ shape }) => ({ dtype: "int32", shape, data: new Int32Array(6) })),
    /handler of mine::odd returned int32 \[2, 3\]/,
  ),
  wrongHandler(
    "a handler that returns too few elements",
    returning(({ dtype, shape }) => ({ dtype, shape, data: new Float32Array(4) })),
    /handler of mine::odd returned float32 \[2, 3\] with 16 bytes of data, not 24/,
  ),
  wrongHandler(
    "an asynchronous rewrite",
    { rewrite: async () => null },
    /handler's `rewrite` of mine::odd returned a Promise/,
    "registry.rule",
  ),
  wrongHandler(
    "a rewrite that throws",
    { rewrite: () => [].at(0)!["x"] },
    /handler's `rewrite` of mine::odd failed/,
    "registry.rule",
  ),
];
