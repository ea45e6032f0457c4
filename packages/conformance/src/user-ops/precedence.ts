import { defineOp, type HandlerTensor, type OpHandler, type OpSet } from "@pt2/registry";
import { floats } from "../programs.ts";
import type { UserOpsCase } from "./user-ops-case.ts";

const x = floats([3], 1, -2, 3);

const PROGRAM = `program {
  user_input %x: f32[3]
  %v: f32[3] = mine::twice(self=%x)
  %y: f32[3] = aten::neg(%v)
  return %y
}`;

const record = defineOp("mine::twice(Tensor self) -> Tensor", {
  infer: ({ self: { dtype, shape } }) => ({ dtype, shape }),
  decompose: ({ self }, b) => b.tensor("aten::add.Tensor", { self, other: { float: 1 } }),
});

/** Makes a handler that adds a number by a function. */
const executor = (name: string, number: number): OpHandler => ({
  ops: [name],
  compile:
    () =>
    ({ args }) => {
      const { dtype, shape, data } = args["self"] as HandlerTensor & { readonly data: Float32Array };
      return { dtype, shape, data: data.map((value) => value + number) };
    },
});

/** Makes a handler that adds a number by other ops. */
const conversion = (name: string, number: number): OpHandler => ({
  ops: [name],
  rewrite: ({ self }, b) => b.tensor("aten::add.Tensor", { self: self!, other: { float: number } }),
});

/** Makes a handler that computes an op by calling it, and adds a number. */
const around = (name: string, number: number): OpHandler => ({
  ops: [name],
  compile:
    ({ op }) =>
    async ({ args, call }) => {
      const results = await call(op, args);
      return results.map(({ dtype, shape, data }) => ({
        dtype,
        shape,
        data: (data as Float32Array).map((value) => value + number),
      }));
    },
});

const plus = (number: number) => [{ inputs: [x], outputs: [floats([3], -1 - number, 2 - number, -3 - number)] }];

/** From the weakest to the strongest; each adds another number. */
const BY_STRENGTH: readonly (readonly [what: string, name: string, number: number])[] = [
  ["a wildcard for a namespace", "mine::*", 100],
  ["a wildcard with more letters", "mine::tw*", 200],
  ["a name for every overload", "mine::twice.*", 300],
  ["the exact name", "mine::twice", 400],
];

/** Cases for the order in which handlers, kernels and rules take precedence, for a kernel of a backend for `mine::twice`. */
export const PRECEDENCE = (backend: string): readonly UserOpsCase[] => {
  const rule: readonly OpSet[] = [{ name: "mine", ops: [record] }];
  const kernels = (kernel: unknown): readonly OpSet[] => [
    { name: "mine", ops: [record], kernels: { [backend]: [kernel] } },
  ];
  return [
    {
      name: "precedence: a record's rule runs an op that has nothing else",
      sets: rule,
      program: PROGRAM,
      runs: plus(1),
    },
    {
      name: "precedence: a kernel comes before a record's rule",
      sets: kernels,
      program: PROGRAM,
      runs: [{ inputs: [x], outputs: [floats([3], -2, 4, -6)] }],
    },
    ...([executor, conversion] as const).flatMap((make) =>
      BY_STRENGTH.map(([what, , number], i) => ({
        name: `precedence: ${what} comes before ${i === 0 ? "a kernel" : BY_STRENGTH[i - 1]![0]}, for ${make === executor ? "functions" : "rewrites"}`,
        sets: kernels,
        // The strongest one is in the middle, so that the order of the list does not decide.
        handlers: BY_STRENGTH.slice(0, i + 1)
          .map(([, name, n]) => make(name, n))
          .sort((a, b) => b.ops[0]!.localeCompare(a.ops[0]!)),
        program: PROGRAM,
        runs: plus(number),
      })),
    ),
    {
      name: "precedence: a function with a wildcard may call the op that it computes",
      sets: kernels,
      handlers: [around("mine::*", 10)],
      program: PROGRAM,
      runs: [{ inputs: [x], outputs: [floats([3], -12, -6, -16)] }],
    },
    {
      name: "precedence: a function with a wildcard computes PyTorch's ops, and calls them",
      sets: kernels,
      handlers: [around("aten::*", 10), around("mine::*", 1)],
      program: PROGRAM,
      runs: [{ inputs: [x], outputs: [floats([3], 7, 13, 3)] }],
    },
    {
      name: "precedence: a rewrite with a wildcard may use the ops that it matches",
      sets: rule,
      handlers: [{ ops: ["*"], rewrite: ({ self }, b) => b.tensor("aten::mul.Tensor", { self: self!, other: self! }) }],
      program: PROGRAM,
      runs: [{ inputs: [x], outputs: [floats([3], 1, 16, 81)] }],
    },
    {
      name: "precedence: of two wildcards with as many letters the later one comes first",
      sets: rule,
      handlers: [executor("mine::*e", 10), executor("mine::t*", 20)],
      program: PROGRAM,
      runs: plus(20),
    },
  ];
};
