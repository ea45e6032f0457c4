import { floats } from "../programs.ts";
import { weightOf } from "../weight-of.ts";
import { SEES_WRITES, THROUGH_VIEW, x } from "./programs.ts";
import { bump, everySecond, halves, negated, userSet, windows } from "./records.ts";
import type { UserOpsCase } from "./user-ops-case.ts";

const READ = `program {
  user_input %x: f32[s0, 2]
  %v: f32[((s0 + 1)//2), 2]{strides=[4, 1]} = mine::every_second(self=%x)
  %y: f32[((s0 + 1)//2), 2] = aten::neg(%v)
  return %y
}`;

const OF_A_PART = `program {
  user_input %x: f32[7]
  %end: f32[4]{offset=3} = aten::slice.Tensor(%x, dim=0, start=3, end=7, step=1)
  %v: f32[2]{strides=[2], offset=3} = mine::every_second(self=%end)
  %y: f32[2] = aten::neg(%v)
  return %y
}`;

const OPEN_SIZES = `program {
  user_input %x: f32[s0]
  %y: f32[s0] = aten::clone(%x)
  %v: f32[((s0 + 1)//2)]{strides=[2]} = mine::every_second(self=%y)
  %in: f32[((s0 + 1)//2)]{strides=[2]} = aten::mul_.Tensor(%v, other=10.0)
  return %y
}`;

const TRANSPOSED = `program {
  buffer "m" = %m: f32[2, 4]
  %t: f32[4, 2]{strides=[1, 4]} = aten::t(%m)
  %v: f32[2, 2]{strides=[2, 4]} = mine::every_second(self=%t)
  %in: f32[2, 2]{strides=[2, 4]} = mine::bump_(self=%v, by=1.0)
  %y: f32[2, 4] = aten::clone(%m)
  return %y
}`;

const LISTS = `program {
  user_input %x: f32[7]
  %y: f32[7] = aten::clone(%x)
  halves: [%a: f32[3], %b: f32[4]{offset=3}] = mine::halves(self=%y)
  %w: f32[2]{strides=[2], offset=3} = mine::every_second(self=%b)
  %in: f32[2]{strides=[2], offset=3} = aten::zero_(%w)
  %again: f32[3] = aten::add_.Tensor(%a, other=1.0)
  return %y, %b
}`;

const UNDONE = `program {
  user_input %x: f32[7]
  %y: f32[7] = aten::clone(%x)
  %v: f32[7] = mine::negated(self=%y)
  %w: f32[4]{strides=[2]} = mine::every_second(self=%v)
  %in: f32[4]{strides=[2]} = aten::add_.Tensor(%w, other=10.0)
  return %y, %v
}`;

const overlapping = (write: string): string => `program {
  user_input %x: f32[7]
  %y: f32[7] = aten::clone(%x)
  %v: f32[5, 3]{strides=[1, 1]} = mine::windows(self=%y)
  %in: f32[5, 3]{strides=[1, 1]} = ${write}(%v)
  return %y
}`;

/** Cases for views whose records define their geometry. */
export const VIEWS: readonly UserOpsCase[] = [
  {
    name: "view: a view reads the elements of its geometry",
    sets: userSet(everySecond),
    program: READ,
    runs: [
      { inputs: [floats([3, 2], 0, 1, 2, 3, 4, 5)], outputs: [floats([2, 2], -0, -1, -4, -5)] },
      { inputs: [floats([1, 2], 3, 4)], outputs: [floats([1, 2], -3, -4)] },
    ],
  },
  {
    name: "view: a view of a slice has its elements",
    sets: userSet(everySecond),
    program: OF_A_PART,
    runs: [{ inputs: [x], outputs: [floats([2], -3, -5)] }],
  },
  {
    name: "view: a write through a view changes its base",
    sets: userSet(everySecond),
    program: THROUGH_VIEW,
    runs: [{ inputs: [x], outputs: [floats([7], 10, 1, 12, 3, 14, 5, 16), floats([4], 10, 12, 14, 16)] }],
  },
  {
    name: "view: a write through a view works with symbolic sizes",
    sets: userSet(everySecond),
    program: OPEN_SIZES,
    runs: [
      { inputs: [x], outputs: [floats([7], 0, 1, 20, 3, 40, 5, 60)] },
      { inputs: [floats([2], 1, 2)], outputs: [floats([2], 10, 2)] },
    ],
  },
  {
    name: "view: a view sees writes to its base",
    sets: userSet(everySecond),
    program: SEES_WRITES,
    runs: [{ inputs: [x], outputs: [floats([4], -0, -4, -8, -12)] }],
  },
  {
    name: "view: a view of a view of a buffer is written by a user's op",
    sets: userSet(bump, everySecond),
    program: TRANSPOSED,
    weights: [weightOf("m", floats([2, 4], 0, 0, 0, 0, 0, 0, 0, 0))],
    runs: [
      { inputs: [], outputs: [floats([2, 4], 1, 0, 1, 0, 1, 0, 1, 0)] },
      { inputs: [], outputs: [floats([2, 4], 2, 0, 2, 0, 2, 0, 2, 0)] },
    ],
  },
  {
    name: "view: each of several results can be written through",
    sets: userSet(halves, everySecond),
    program: LISTS,
    runs: [{ inputs: [x], outputs: [floats([7], 1, 2, 3, 0, 4, 0, 6), floats([4], 0, 4, 0, 6)] }],
  },
  {
    name: "view: a write through a view uses the inverse of its record",
    sets: userSet(negated, everySecond),
    program: UNDONE,
    runs: [
      {
        inputs: [x],
        outputs: [floats([7], -10, 1, -8, 3, -6, 5, -4), floats([7], 10, -1, 8, -3, 6, -5, 4)],
      },
    ],
  },
  {
    name: "view: one number is written to overlapping elements",
    sets: userSet(windows),
    program: overlapping("aten::zero_"),
    runs: [{ inputs: [x], outputs: [floats([7], 0, 0, 0, 0, 0, 0, 0)] }],
  },
  {
    name: "view: a write of several numbers to overlapping elements is refused",
    sets: userSet(windows),
    program: overlapping("aten::neg_"),
    runs: [{ inputs: [x], outputs: [] }],
    refused: {
      code: "graph.mutation",
      message: /aten::neg_ writes through mine::windows to elements of memory more than once/,
    },
  },
];
