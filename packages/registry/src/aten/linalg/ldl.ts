import { defineOp, type OpRecord } from "../../op.ts";
import { check, show } from "../support/check.ts";
import { sameShape } from "../support/dims.ts";
import { info, matrices, square, succeeded } from "./factor.ts";

/** Defines factorizations of symmetric matrices that need not be positive definite. They need a kernel. */
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
      const results = b.call("aten::linalg_ldl_factor_ex", { self, hermitian });
      return [succeeded(b, "linalg.ldl_factor", "the input matrix is singular", results), results[1]!];
    },
  }),
  defineOp("aten::linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor", {
    requires: { kinds: { pivots: "index" } },
    infer({ LD, pivots, B }) {
      check(
        sameShape(LD.shape.slice(0, -1), pivots.shape),
        () =>
          `torch.linalg.ldl_solve: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape ${show(pivots.shape)} instead`,
      );
      return matrices("torch.linalg.ldl_solve", LD, B, true);
    },
  }),
];
