import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { sameShape } from "../support/dims.ts";
import { isComplex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { adjoint, info, matrices, sizes, succeeded } from "./factor.ts";

type Three = readonly [TensorMeta, TensorMeta, TensorMeta];

/** Defines LU factorization, and solvers for its factors and for triangular matrices. */
export const LU_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)",
    { infer: ({ A }) => factors(A) },
  ),
  defineOp("aten::linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)", {
    decompose({ A, pivot }, b) {
      const results = b.call("aten::linalg_lu_factor_ex", { A, pivot });
      return [succeeded(b, "linalg.lu_factor", "a diagonal element of U is zero", results), results[1]];
    },
  }),
  defineOp(
    "aten::_lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor pivots, Tensor info)",
    {
      decompose: ({ self, pivot }, b) => b.call("aten::linalg_lu_factor_ex", { A: self, pivot }),
    },
  ),
  defineOp(
    "aten::lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U)",
    {
      infer({ LU_data, LU_pivots }) {
        const { batch, rows, columns, rank } = sizes("lu_unpack", LU_data);
        checkPivots("lu_unpack", LU_pivots, [...batch, rank]);
        const { dtype } = LU_data;
        return [
          { dtype, shape: [...batch, rows, rows] },
          { dtype, shape: [...batch, rows, rank] },
          { dtype, shape: [...batch, rank, columns] },
        ];
      },
    },
  ),
  defineOp("aten::linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)", {
    decompose({ A, pivot }, b) {
      const [LU_data, LU_pivots] = b.call("aten::linalg_lu_factor_ex", { A, pivot });
      const [P, L, U] = b.call("aten::lu_unpack", { LU_data, LU_pivots });
      return [pivot ? P : emit(b).full([0], 0, A.dtype), L, U];
    },
  }),
  defineOp(
    "aten::linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor",
    {
      infer({ LU, pivots, B, left }) {
        checkPivots("linalg.lu_solve", pivots, LU.shape.slice(0, -1));
        return matrices("linalg.lu_solve", LU, B, left);
      },
    },
  ),
  defineOp("aten::lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor", {
    decompose: ({ self, LU_data, LU_pivots }, b) =>
      b.tensor("aten::linalg_lu_solve", { LU: LU_data, pivots: LU_pivots, B: self }),
  }),
  defineOp(
    "aten::triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)",
    {
      decompose({ self, A, upper, transpose, unitriangular }, b) {
        const triangle = transpose ? emit(b).transpose(A, -2, -1) : A;
        const options = { upper: upper !== transpose, unitriangular };
        const solution = b.tensor("aten::linalg_solve_triangular", { self: triangle, B: self, ...options });
        return [solution, b.tensor("aten::clone", { self: A })];
      },
    },
  ),
  defineOp("aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor", {
    decompose({ self, input2, upper }, b) {
      const transposed = adjoint(b, input2);
      const [lower, higher] = upper ? [transposed, input2] : [input2, transposed];
      const solve = (triangle: TensorMeta, B: TensorMeta, isUpper: boolean): TensorMeta =>
        b.tensor("aten::linalg_solve_triangular", { self: triangle, B, upper: isUpper });
      return solve(higher, solve(lower, self, false), true);
    },
  }),
  defineOp("aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor", {
    decompose({ self, upper }, b) {
      const one = b.tensor("aten::eye", { n: self.shape.at(-1)!, dtype: self.dtype });
      const unit = emit(b).expand(one, self.shape);
      return b.tensor("aten::cholesky_solve", { self: unit, input2: self, upper });
    },
  }),
  defineOp("aten::slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)", {
    decompose: ({ self }, b) => b.call("aten::linalg_slogdet", { A: self }),
  }),
  defineOp("aten::logdet(Tensor self) -> Tensor", {
    decompose({ self }, b) {
      const e = emit(b);
      const [sign, log] = b.call("aten::linalg_slogdet", { A: self });
      if (isComplex(self.dtype)) return e.add(e.log(sign!), log!);
      return e.where(e.lt(sign!, 0), { float: Number.NaN }, log!);
    },
  }),
  defineOp("aten::_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)", {
    decompose({ A }, b) {
      const [LU, pivots] = b.call("aten::linalg_lu_factor_ex", { A: factored(A, b) });
      return [b.tensor("aten::linalg_det", { A }), LU, pivots];
    },
  }),
  defineOp("aten::_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)", {
    decompose({ A }, b) {
      const [sign, logabsdet] = b.call("aten::linalg_slogdet", { A });
      const [LU, pivots] = b.call("aten::linalg_lu_factor_ex", { A: factored(A, b) });
      return [sign!, logabsdet!, LU, pivots];
    },
  }),
  defineOp(
    "aten::_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, Tensor info)",
    {
      decompose({ A, B, left, check_errors }, b) {
        const [LU, pivots] = b.call("aten::linalg_lu_factor_ex", { A, check_errors });
        const [result, failed] = b.call("aten::linalg_solve_ex", { A, B, left });
        return [result!, LU, pivots, failed!];
      },
    },
  ),
];

/**
 * Returns the matrix that PyTorch factors for a determinant: that of real numbers by rows transposed, which LAPACK reads as it
 * lies in memory. Programs of PyTorch's own backward pass solve with these factors.
 */
function factored(A: TensorMeta, b: Builder): TensorMeta {
  return isComplex(A.dtype) ? A : emit(b).transpose(A, -2, -1);
}

function factors(A: TensorMeta): Three {
  const { batch, rank } = sizes("linalg.lu_factor", A);
  return [{ dtype: A.dtype, shape: A.shape }, { dtype: "int32", shape: [...batch, rank] }, info(A)];
}

function checkPivots(op: string, { dtype, shape }: TensorMeta, expected: readonly number[]): void {
  check(
    dtype === "int32" && sameShape(shape, expected),
    () => `${op}: expected int32 pivots of shape ${show(expected)}, got ${dtype} ${show(shape)}`,
  );
}
