import { defineOp, type OpSet } from "@pt2/registry";
import { floats } from "../programs.ts";
import { twice, twiceView } from "./records.ts";
import type { UserOpsCase } from "./user-ops-case.ts";

const x = floats([3], 1, -2, 3);

const PROGRAM = `program {
  user_input %x: f32[3]
  %v: f32[3] = mine::twice(self=%x)
  %y: f32[3] = aten::neg(%v)
  return %y
}`;

const IN_PLACE = `program {
  user_input %x: f32[3]
  %y: f32[3] = aten::clone(%x)
  %v: f32[3] = mine::twice_(self=%y)
  return %y
}`;

const twiceOtherwise = defineOp("mine::twice(Tensor self) -> Tensor", {
  infer: ({ self: { dtype, shape } }) => ({ dtype, shape }),
  decompose: ({ self }, b) => b.tensor("aten::zeros_like", { self }),
});

const runs = [{ inputs: [x], outputs: [floats([3], -2, 4, -6)] }];

/** Cases for op sets with a kernel for `mine::twice`, and a record with a different result. */
export const KERNELS = (backend: string): readonly UserOpsCase[] => {
  const sets =
    (record: OpSet["ops"][number]) =>
    (kernel: unknown): readonly OpSet[] => [{ name: "mine", ops: [record], kernels: { [backend]: [kernel] } }];
  return [
    { name: "kernel: a kernel takes precedence over a scalar rule", sets: sets(twice), program: PROGRAM, runs },
    { name: "kernel: a kernel takes precedence over a view rule", sets: sets(twiceView), program: PROGRAM, runs },
    {
      name: "kernel: a kernel takes precedence over a decomposition",
      sets: sets(twiceOtherwise),
      program: PROGRAM,
      runs,
    },
    {
      name: "kernel: a kernel computes the result that an in-place op writes",
      sets: sets(twice),
      program: IN_PLACE,
      runs: [{ inputs: [x], outputs: [floats([3], 2, -4, 6)] }],
    },
  ];
};
