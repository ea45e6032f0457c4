import { floats } from "../programs.ts";
import { replacing, sumOfMatrices, thousandfold } from "./records.ts";
import type { UserOpsCase } from "./user-ops-case.ts";

const x = floats([3], -1, 2, 3);

const RELU = `program {
  user_input %x: f32[3]
  %y: f32[3] = aten::relu(self=%x)
  %z: f32[3] = aten::neg(%y)
  return %z
}`;

const RELU_IN_PLACE = `program {
  user_input %x: f32[s0]
  %y: f32[s0] = aten::clone(%x)
  %some: f32[2] = aten::slice.Tensor(%y, dim=0, start=0, end=2, step=1)
  %in: f32[2] = aten::relu_(self=%some)
  return %y
}`;

const PRODUCT = `program {
  user_input %x: f32[2, 2]
  %y: f32[2, 2] = aten::mm(self=%x, mat2=%x)
  %z: f32[2, 2] = aten::neg(%y)
  return %z
}`;

const LINEAR = `program {
  user_input %x: f32[2, 2]
  user_input %w: f32[2, 2]
  user_input %b: f32[2]
  %y: f32[2, 2] = aten::linear(input=%x, weight=%w, bias=%b)
  %z: f32[2, 2] = aten::relu(self=%y)
  return %z
}`;

/** Cases for ops that have PyTorch's names and another meaning. */
export const REPLACED: readonly UserOpsCase[] = [
  {
    name: "replace: a record with `replace` redefines the op",
    sets: replacing(thousandfold),
    program: RELU,
    runs: [{ inputs: [x], outputs: [floats([3], 1000, -2000, -3000)] }],
  },
  {
    name: "replace: a record with `replace` redefines the in-place variant",
    sets: replacing(thousandfold),
    program: RELU_IN_PLACE,
    runs: [{ inputs: [x], outputs: [floats([3], -1000, 2000, 3)] }],
  },
  {
    name: "replace: a record with `replace` takes precedence over the backend's own kernel",
    sets: replacing(sumOfMatrices),
    program: PRODUCT,
    runs: [{ inputs: [floats([2, 2], 1, 2, 3, 4)], outputs: [floats([2, 2], -2, -4, -6, -8)] }],
  },
  {
    name: "replace: a backend does not fuse a redefined op as PyTorch's",
    sets: replacing(thousandfold),
    program: LINEAR,
    runs: [
      {
        inputs: [floats([2, 2], 1, 2, 3, 4), floats([2, 2], 1, 0, 0, 1), floats([2], -2, 0)],
        outputs: [floats([2, 2], -1000, 2000, 1000, 4000)],
      },
    ],
  },
];
