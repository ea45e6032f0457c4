import { complexOf } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { sameShape } from "../support/dims.ts";
import { isComplex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { adjoint, sizes, square } from "./factor.ts";

/** Defines Householder reflections, eigenvalues and functions of matrices. */
export const ORTHOGONAL_OPS: readonly OpRecord[] = [
  defineOp("aten::geqrf(Tensor self) -> (Tensor a, Tensor tau)", {
    infer({ self }) {
      const { batch, rank } = sizes("geqrf", self);
      return [
        { dtype: self.dtype, shape: self.shape },
        { dtype: self.dtype, shape: [...batch, rank] },
      ];
    },
  }),
  defineOp("aten::linalg_householder_product(Tensor input, Tensor tau) -> Tensor", {
    requires: { same: ["input", "tau"] },
    infer({ input, tau }) {
      const { rows, columns } = sizes("linalg.householder_product", input);
      checkReflectors("linalg.householder_product", input, tau);
      check(
        rows >= columns && columns >= tau.shape.at(-1)!,
        "linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1], and that to tau.shape[-1]",
      );
      return { dtype: input.dtype, shape: input.shape };
    },
  }),
  defineOp("aten::orgqr(Tensor self, Tensor input2) -> Tensor", {
    decompose: ({ self, input2 }, b) => b.tensor("aten::linalg_householder_product", { input: self, tau: input2 }),
  }),
  defineOp("aten::ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor", {
    requires: { same: ["self", "input2", "input3"] },
    infer({ self, input2, input3, left }) {
      const { rows, columns } = sizes("ormqr", self);
      checkReflectors("ormqr", self, input2);
      check(
        input3.shape.length === self.shape.length && sameShape(input3.shape.slice(0, -2), self.shape.slice(0, -2)),
        () => `ormqr: batch dimensions of other ${show(input3.shape)} must be those of input ${show(self.shape)}`,
      );
      check(
        input2.shape.at(-1) === Math.min(rows, columns),
        () => `ormqr: tau.shape[-1] must be equal to min(other.shape[-2], input.shape[-1]), got ${show(input2.shape)}`,
      );
      check(
        input3.shape.at(left ? -2 : -1) === rows,
        `ormqr: other.shape[${left ? -2 : -1}] must be equal to input.shape[-2]`,
      );
      return { dtype: self.dtype, shape: input3.shape };
    },
  }),
  defineOp("aten::qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)", {
    decompose: ({ self, some }, b) => b.call("aten::linalg_qr", { A: self, mode: some ? "reduced" : "complete" }),
  }),
  defineOp("aten::svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)", {
    decompose({ self, some, compute_uv }, b) {
      const e = emit(b);
      const [U, S, Vh] = b.call("aten::linalg_svd", { A: self, full_matrices: !some });
      const V = adjoint(b, Vh!);
      if (compute_uv) return [U!, S!, V];
      const { batch, rows, columns } = sizes("svd", self);
      const zeros = (n: number): TensorMeta => e.full([...batch, n, n], 0, self.dtype);
      return [zeros(rows), S!, zeros(columns)];
    },
  }),
  defineOp('aten::linalg_eigvalsh(Tensor self, str UPLO="L") -> Tensor', {
    decompose: ({ self, UPLO }, b) => b.call("aten::linalg_eigh", { self, UPLO })[0],
  }),
  defineOp("aten::linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)", {
    infer({ self }) {
      const { shape } = square("linalg.eig", self);
      const dtype = isComplex(self.dtype) ? self.dtype : complexOf(self.dtype);
      return [
        { dtype, shape: shape.slice(0, -1) },
        { dtype, shape },
      ];
    },
  }),
  defineOp("aten::linalg_eigvals(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => b.call("aten::linalg_eig", { self })[0],
  }),
  defineOp("aten::linalg_matrix_exp(Tensor self) -> Tensor", {
    infer: ({ self }) => square("linalg.matrix_exp", self),
  }),
  defineOp("aten::matrix_exp(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => b.tensor("aten::linalg_matrix_exp", { self }),
  }),
];

/** Checks that there is one `tau` per reflector of each matrix. */
function checkReflectors(op: string, input: TensorMeta, tau: TensorMeta): void {
  check(
    tau.shape.length === input.shape.length - 1 && sameShape(tau.shape.slice(0, -1), input.shape.slice(0, -2)),
    () =>
      `${op}: expected tau to have one dimension less than input, of the same batch, got ${show(tau.shape)} for ${show(input.shape)}`,
  );
}
