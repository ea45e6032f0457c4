import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { isTensorMeta } from "../../wrapped.ts";
import { toNumber } from "../support/dtypes.ts";
import { emit, type Operand } from "../support/emit.ts";
import { adjoint, sizes } from "./factor.ts";

/** Defines the ops that depend on which singular values count as zero. */
export const PSEUDO_INVERSE_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor",
    { decompose: ({ self, atol, rtol, hermitian }, b) => pseudoInverse(b, self, atol, rtol, hermitian) },
  ),
  defineOp(
    "aten::linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor",
    { decompose: ({ self, atol, rtol, hermitian }, b) => pseudoInverse(b, self, float(atol), float(rtol), hermitian) },
  ),
  defineOp("aten::linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor", {
    decompose: ({ self, rcond, hermitian }, b) => pseudoInverse(b, self, { float: 0 }, { float: rcond }, hermitian),
  }),
  defineOp("aten::linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor", {
    decompose: ({ self, rcond, hermitian }, b) => pseudoInverse(b, self, { float: 0 }, rcond, hermitian),
  }),
  defineOp("aten::pinverse(Tensor self, float rcond=1.0000000000000001e-15) -> Tensor", {
    decompose: ({ self, rcond }, b) => pseudoInverse(b, self, { float: 0 }, { float: rcond }, false),
  }),
  defineOp(
    "aten::linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor",
    { decompose: ({ input, atol, rtol, hermitian }, b) => matrixRank(b, input, atol, rtol, hermitian) },
  ),
  defineOp(
    "aten::linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor",
    { decompose: ({ self, atol, rtol, hermitian }, b) => matrixRank(b, self, float(atol), float(rtol), hermitian) },
  ),
  defineOp("aten::linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor", {
    decompose: ({ self, tol, hermitian }, b) => matrixRank(b, self, { float: tol }, { float: 0 }, hermitian),
  }),
  defineOp("aten::linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor", {
    decompose: ({ input, tol, hermitian }, b) => matrixRank(b, input, tol, { float: 0 }, hermitian),
  }),
  defineOp("aten::linalg_cond(Tensor self, Scalar? p=None) -> Tensor", {
    decompose({ self, p }, b) {
      const order = p === null ? 2 : toNumber(p);
      if (Math.abs(order) !== 2) return normsProduct(b, self, { ord: p! });
      const e = emit(b);
      const s = b.tensor("aten::linalg_svdvals", { A: self });
      const [most, least] = [e.select(s, -1, 0), e.select(s, -1, s.shape.at(-1)! - 1)];
      return order > 0 ? e.div(most, least) : e.div(least, most);
    },
  }),
  defineOp("aten::linalg_cond.p_str(Tensor self, str p) -> Tensor", {
    decompose: ({ self, p }, b) => normsProduct(b, self, { ord: p }),
  }),
];

type Bound = TensorMeta | Scalar | null;

const EPSILON: Readonly<Partial<Record<DType, number>>> = { float64: 2 ** -52, complex128: 2 ** -52 };

function float(value: number | null): Scalar | null {
  return value === null ? null : { float: value };
}

/**
 * Returns the bound up to which values count as zero: the larger of the absolute tolerance and the one relative to the
 * largest value.
 */
function threshold(b: Builder, self: TensorMeta, values: TensorMeta, atol: Bound, rtol: Bound): TensorMeta {
  const e = emit(b);
  const usual = { float: (EPSILON[self.dtype] ?? 2 ** -23) * Math.max(...self.shape.slice(-2)) };
  let relative: Bound = rtol;
  if (relative === null) {
    if (atol === null) relative = usual;
    else if (isTensorMeta(atol)) relative = e.where(e.gt(atol, 0), { float: 0 }, usual);
    else relative = toNumber(atol) > 0 ? { float: 0 } : usual;
  }
  const column = (bound: Operand): Operand => (isTensorMeta(bound) ? e.unsqueeze(bound, -1) : bound);
  const scaled = e.mul(e.amax(values, [-1], true), column(relative));
  const absolute = atol === null ? null : column(atol);
  if (absolute === null) return scaled;
  return isTensorMeta(absolute) ? e.maximum(e.cast(absolute, scaled.dtype), scaled) : e.clampMin(scaled, absolute);
}

function pseudoInverse(b: Builder, self: TensorMeta, atol: Bound, rtol: Bound, hermitian: boolean): TensorMeta {
  const e = emit(b);
  const [rows, columns] = self.shape.slice(-2) as [number, number];
  if (self.shape.includes(0)) return e.full([...self.shape.slice(0, -2), columns, rows], 0, self.dtype);
  const [U, S, Vh] = hermitian
    ? symmetricFactors(b, self)
    : b.call("aten::linalg_svd", { A: self, full_matrices: false });
  const values = hermitian ? e.abs(S!) : S!;
  const counts = e.gt(values, threshold(b, self, values, atol, rtol));
  const inverse = e.where(counts, b.tensor("aten::reciprocal", { self: S! }), { float: 0 });
  const right = e.mul(adjoint(b, Vh!), e.unsqueeze(inverse, -2));
  return b.tensor("aten::matmul", { self: right, other: adjoint(b, U!) });
}

/** Factors a Hermitian matrix as `U diag(S) Uᴴ`. */
function symmetricFactors(b: Builder, self: TensorMeta): readonly TensorMeta[] {
  const [S, U] = b.call("aten::linalg_eigh", { self });
  return [U, S, adjoint(b, U)];
}

function matrixRank(b: Builder, self: TensorMeta, atol: Bound, rtol: Bound, hermitian: boolean): TensorMeta {
  const e = emit(b);
  sizes("torch.linalg.matrix_rank", self);
  if (self.shape.slice(-2).includes(0)) return e.full(self.shape.slice(0, -2), 0, "int64");
  const values = hermitian
    ? e.abs(b.tensor("aten::linalg_eigvalsh", { self }))
    : b.tensor("aten::linalg_svdvals", { A: self });
  return e.sum(e.gt(values, threshold(b, self, values, atol, rtol)), [-1]);
}

/** Computes ‖A‖ ‖A⁻¹‖. */
function normsProduct(b: Builder, self: TensorMeta, { ord }: { readonly ord: Scalar | string }): TensorMeta {
  const norm = (x: TensorMeta): TensorMeta =>
    typeof ord === "string"
      ? b.tensor("aten::linalg_matrix_norm.str_ord", { self: x, ord })
      : b.tensor("aten::linalg_matrix_norm", { self: x, ord });
  return emit(b).mul(norm(self), norm(b.call("aten::linalg_inv_ex", { A: self })[0]));
}
