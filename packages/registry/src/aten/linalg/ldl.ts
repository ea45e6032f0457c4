import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { info, matrices, square } from "./factor.ts";

/** Factors of symmetric matrices that need not be positive definite. They need a kernel. */
export const LDL_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)",
    {
      infer: ({ self }) => {
        const { dtype, shape } = square("torch.linalg.ldl_factor_ex", self);
        return [{ dtype, shape }, { dtype: "int32", shape: shape.slice(0, -1) }, info(self)];
      },
    },
  ),
  defineOp("aten::linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)", {
    decompose: ({ self, hermitian }, b) => {
      const [LD, pivots] = b.call("aten::linalg_ldl_factor_ex", { self, hermitian }) as readonly TensorMeta[];
      return [LD!, pivots!];
    },
  }),
  defineOp("aten::linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor", {
    requires: { kinds: { pivots: "index" } },
    infer: ({ LD, B }) => matrices("torch.linalg.ldl_solve", LD, B, true),
  }),
];
