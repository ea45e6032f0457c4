import { defineOp, type HandlerTensor, type OpHandler } from "@pt2/registry";
import { floats } from "../programs.ts";
import { SEES_WRITES, THROUGH_SLICE, THROUGH_VIEW, x } from "./programs.ts";
import { bump, everySecond, userSet } from "./records.ts";
import type { UserOpsCase } from "./user-ops-case.ts";

type Floats = HandlerTensor & { readonly data: Float32Array };

/** Makes a handler that returns a new tensor: its argument plus 100. */
const hundredMore = (...ops: readonly string[]): OpHandler => ({
  ops,
  compile:
    () =>
    ({ args }) => {
      const { dtype, shape, data } = args["self"] as Floats;
      return { dtype, shape, data: data.map((value) => value + 100) };
    },
});

/** Makes a handler that adds 100 to its argument in place, and returns nothing. */
const leaves = (op: string): OpHandler => ({
  ops: [op],
  compile:
    () =>
    ({ args }) => {
      const { data } = args["self"] as Floats;
      for (const [i, value] of data.entries()) data[i] = value + 100;
      return [];
    },
});

/** Makes a handler that returns the result of another op. */
const asking = (op: string, asked: string): OpHandler => ({
  ops: [op],
  compile:
    () =>
    async ({ args, call }) =>
      await call(asked as "mine::bump", args),
});

const skipping: OpHandler = {
  ops: ["mine::every_second"],
  compile:
    () =>
    ({ args }) => {
      const { dtype, data } = args["self"] as Floats;
      return { dtype, shape: [Math.ceil(data.length / 2)], data: data.filter((_, i) => i % 2 === 0) };
    },
};

const WITHOUT_RESULT = `program {
  user_input %x: f32[7]
  %y: f32[7] = aten::clone(%x)
  %some: f32[2] = aten::slice.Tensor(%y, dim=0, start=1, end=3, step=1)
  nothing: [] = mine::fill(self=%some)
  return %y
}`;

const RELU_IN_PLACE = `program {
  user_input %x: f32[7]
  %y: f32[7] = aten::clone(%x)
  %some: f32[2] = aten::slice.Tensor(%y, dim=0, start=1, end=3, step=1)
  %in: f32[2] = aten::relu_(%some)
  return %y
}`;

const PURE = `program {
  user_input %x: f32[7]
  %v: f32[7] = mine::bump(self=%x, by=5.0)
  %y: f32[7] = aten::relu(%v)
  %in: f32[7] = aten::add_.Tensor(%y, other=1.0)
  return %y
}`;

const written = [floats([7], 0, 101, 102, 3, 4, 5, 6), floats([2], 101, 102)];
const schemaOnly = userSet(defineOp("mine::fill(Tensor(a!) self) -> ()"));

/** Cases for handlers that replace ops with alias annotations. */
export const HANDLED: readonly UserOpsCase[] = [
  {
    name: "handler: the result of its function for an in-place op is written to the argument",
    sets: userSet(bump),
    handlers: [hundredMore("mine::bump_")],
    program: THROUGH_SLICE,
    runs: [{ inputs: [x], outputs: written }],
  },
  {
    name: "handler: the result is written to the argument if only the op's name says that it is in place",
    handlers: [hundredMore("mine::bump_")],
    program: THROUGH_SLICE,
    runs: [{ inputs: [x], outputs: written }],
  },
  {
    name: "handler: a handler of the functional variant runs the in-place op",
    sets: userSet(bump),
    handlers: [hundredMore("mine::bump")],
    program: THROUGH_SLICE,
    runs: [{ inputs: [x], outputs: written }],
  },
  {
    name: "handler: an argument that its function writes to is written",
    sets: schemaOnly,
    handlers: [leaves("mine::fill")],
    program: WITHOUT_RESULT,
    runs: [{ inputs: [x], outputs: [written[0]!] }],
  },
  {
    name: "handler: the result of a rewrite of an in-place op is written to the argument",
    sets: userSet(bump),
    handlers: [
      {
        ops: ["mine::bump_"],
        rewrite: ({ self }, b) => b.tensor("aten::add.Tensor", { self: self!, other: { float: 100 } }),
      },
    ],
    program: THROUGH_SLICE,
    runs: [{ inputs: [x], outputs: written }],
  },
  {
    name: "handler: a handler runs PyTorch's in-place ops too",
    handlers: [hundredMore("aten::relu_")],
    program: RELU_IN_PLACE,
    runs: [{ inputs: [x], outputs: [written[0]!] }],
  },
  {
    name: "handler: a view that it runs sees writes to its base",
    sets: userSet(everySecond),
    handlers: [skipping],
    program: SEES_WRITES,
    runs: [{ inputs: [x], outputs: [floats([4], -0, -4, -8, -12)] }],
  },
  {
    name: "handler: a write through a view that it runs is refused",
    sets: userSet(everySecond),
    handlers: [skipping],
    program: THROUGH_VIEW,
    refused: { code: "graph.mutation", message: /aten::add_\.Tensor writes through mine::every_second/ },
  },
  {
    name: "handler: a write to a result of an op without a schema is refused",
    handlers: [skipping],
    program: THROUGH_VIEW,
    refused: { code: "graph.mutation", message: /It is unknown whether results of mine::every_second share memory/ },
  },
  {
    name: "handler: a write to an argument of an op without a schema, whose results may alias it, is refused",
    handlers: [skipping],
    program: SEES_WRITES,
    refused: { code: "graph.mutation", message: /It is unknown whether results of mine::every_second share memory/ },
  },
  {
    name: "handler: a function that calls its own op endlessly is refused",
    sets: userSet(bump),
    handlers: [asking("mine::bump", "mine::bump")],
    program: PURE,
    runs: [{ inputs: [x], outputs: [] }],
    refused: { code: "registry.limit", message: /The handler of mine::bump was called inside 32 other handlers/ },
  },
  {
    name: "handler: functions that call each other's ops endlessly are refused",
    sets: userSet(bump, defineOp("mine::other(Tensor self, float by) -> Tensor")),
    handlers: [asking("mine::bump", "mine::other"), asking("mine::other", "mine::bump")],
    program: PURE,
    runs: [{ inputs: [x], outputs: [] }],
    refused: {
      code: "registry.limit",
      message: /The handler of mine::bump was called inside 32 other handlers: they call each other/,
    },
  },
  {
    name: "handler: an op without a schema does not prevent writes to other tensors",
    handlers: [hundredMore("mine::bump")],
    program: PURE,
    runs: [{ inputs: [x], outputs: [floats([7], 101, 102, 103, 104, 105, 106, 107)] }],
  },
];
