import { floats } from "../programs.ts";
import { weightOf } from "../weight-of.ts";
import { THROUGH_SLICE, x } from "./programs.ts";
import { bump, bumpDecomposed, doubled_, isPositive, userSet } from "./records.ts";
import type { UserOpsCase } from "./user-ops-case.ts";

const ON_INPUT = `program {
  user_input %x: f32[s0]
  %in: f32[s0] = mine::bump_(self=%x, by=5.0)
  %y: f32[s0] = aten::neg(%x)
  return %y
}`;

const ON_BUFFER = `program {
  buffer "total" = %total: f32[2, 3]
  %t: f32[3, 2]{strides=[1, 3]} = aten::t(%total)
  %row: f32[2]{strides=[3]} = aten::select.int(%t, dim=0, index=1)
  %in: f32[2]{strides=[3]} = mine::bump_(self=%row, by=1.0)
  %y: f32[2, 3] = aten::clone(%total)
  return %y
}`;

const BY_ITSELF = `program {
  user_input %x: f32[7]
  %y: f32[7] = aten::clone(%x)
  %end: f32[3]{offset=4} = aten::slice.Tensor(%y, dim=0, start=4, end=7, step=1)
  %in: f32[3]{offset=4} = mine::doubled_(self=%end)
  return %y
}`;

const OTHER_DTYPE = `program {
  user_input %x: f32[3]
  %y: f32[3] = aten::clone(%x)
  %in: f32[3] = mine::is_positive_(self=%y)
  %z: f32[3] = aten::neg(%y)
  return %z
}`;

const OUT = `program {
  user_input %x: f32[3]
  %y: f32[2, 3] = aten::zeros(size=[2, 3])
  %row: f32[3] = aten::select.int(%y, dim=0, index=0)
  %o: f32[3] = mine::bump.out(self=%x, by=5.0, out=%row)
  return %y, %o
}`;

const throughSlice = {
  program: THROUGH_SLICE,
  runs: [{ inputs: [x], outputs: [floats([7], 0, 6, 7, 3, 4, 5, 6), floats([2], 6, 7)] }],
};

/** Cases for in-place and out variants whose records define what they compute. */
export const IN_PLACE: readonly UserOpsCase[] = [
  { name: "in place: the result of a scalar rule is written through views", sets: userSet(bump), ...throughSlice },
  {
    name: "in place: the result of a decomposition is written through views",
    sets: userSet(bumpDecomposed),
    ...throughSlice,
  },
  {
    name: "in place: later nodes see a write, the caller's tensor does not",
    sets: userSet(bump),
    program: ON_INPUT,
    runs: [
      { inputs: [x], outputs: [floats([7], -5, -6, -7, -8, -9, -10, -11)] },
      { inputs: [x], outputs: [floats([7], -5, -6, -7, -8, -9, -10, -11)] },
      { inputs: [floats([1], 1)], outputs: [floats([1], -6)] },
    ],
  },
  {
    name: "in place: buffers keep a write",
    sets: userSet(bump),
    program: ON_BUFFER,
    weights: [weightOf("total", floats([2, 3], 0, 0, 0, 0, 0, 0))],
    runs: [
      { inputs: [], outputs: [floats([2, 3], 0, 1, 0, 0, 1, 0)] },
      { inputs: [], outputs: [floats([2, 3], 0, 2, 0, 0, 2, 0)] },
    ],
  },
  {
    name: "in place: an op without a functional variant writes the result of its own rules",
    sets: userSet(doubled_),
    program: BY_ITSELF,
    runs: [{ inputs: [x], outputs: [floats([7], 0, 1, 2, 3, 8, 10, 12)] }],
  },
  {
    name: "in place: the result is converted to the dtype of the written tensor",
    sets: userSet(isPositive),
    program: OTHER_DTYPE,
    runs: [{ inputs: [floats([3], -1, 2, 3)], outputs: [floats([3], -0, -1, -1)] }],
  },
  {
    name: "in place: the argument `out` is written",
    sets: userSet(bump),
    program: OUT,
    runs: [
      {
        inputs: [floats([3], 1, 2, 3)],
        outputs: [floats([2, 3], 6, 7, 8, 0, 0, 0), floats([3], 6, 7, 8)],
      },
    ],
  },
];
