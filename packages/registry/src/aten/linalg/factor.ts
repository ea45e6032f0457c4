import type { Builder } from "../../builder.ts";
import { partOf } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { ArgValue, TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { broadcast } from "../support/dims.ts";
import { checkFloating, checkSameDtype } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { requireData } from "../support/require-data.ts";

const SINGULAR = "the input matrix is singular";
const INDEFINITE = "the input is not positive-definite";

/**
 * Returns the first result of an op named `…_ex`, whose last result is its status: if that is not zero, PyTorch's op
 * without `_ex` fails.
 */
export function succeeded(b: Builder, op: string, why: string, results: readonly ArgValue[]): TensorMeta {
  requireData(b, emit(b).eq(results.at(-1) as TensorMeta, 0), `${op}: The computation could not be completed: ${why}`);
  return results[0] as TensorMeta;
}

/** Defines factorizations and solvers of linear systems. They need a kernel. */
export const LINALG_OPS: readonly OpRecord[] = [
  defineOp("aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)", {
    infer: ({ A }) => [square("linalg.inv", A), info(A)],
  }),
  defineOp("aten::linalg_inv(Tensor A) -> Tensor", {
    decompose: ({ A }, b) => succeeded(b, "linalg.inv", SINGULAR, b.call("aten::linalg_inv_ex", { A })),
  }),
  defineOp("aten::_linalg_check_errors(Tensor info, str api_name, *, bool is_matrix) -> ()", {
    infer: () => undefined,
    decompose({ info, api_name }, b) {
      requireData(b, emit(b).eq(info, 0), `${api_name}: The computation could not be completed for the input matrix`);
      return undefined;
    },
    impure: true,
  }),
  defineOp("aten::inverse(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => b.tensor("aten::linalg_inv", { A: self }),
  }),
  defineOp("aten::linalg_det(Tensor A) -> Tensor", {
    infer: ({ A }) => ({ dtype: A.dtype, shape: square("linalg.det", A).shape.slice(0, -2) }),
  }),
  defineOp("aten::det(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => b.tensor("aten::linalg_det", { A: self }),
  }),
  defineOp("aten::linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)", {
    infer: ({ A }) => {
      const shape = square("linalg.slogdet", A).shape.slice(0, -2);
      return [
        { dtype: A.dtype, shape },
        { dtype: partOf(A.dtype), shape },
      ];
    },
  }),
  defineOp(
    "aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)",
    { infer: ({ self }) => [square("linalg.cholesky", self), info(self)] },
  ),
  defineOp("aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor", {
    decompose: ({ self, upper }, b) =>
      succeeded(b, "linalg.cholesky", INDEFINITE, b.call("aten::linalg_cholesky_ex", { self, upper })),
  }),
  defineOp("aten::cholesky(Tensor self, bool upper=False) -> Tensor", {
    decompose: ({ self, upper }, b) =>
      succeeded(b, "linalg.cholesky", INDEFINITE, b.call("aten::linalg_cholesky_ex", { self, upper })),
  }),
  defineOp(
    "aten::linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)",
    {
      infer: ({ A, B, left }) => [solution("linalg.solve", A, B, left), info(A)],
      decompose({ A, B, left, check_errors }, b) {
        const e = emit(b);
        const [LU, pivots, failed] = b.call("aten::linalg_lu_factor_ex", { A, check_errors });
        const vectors = isVectors(A, B);
        const right = vectors ? e.unsqueeze(B, -1) : B;
        const X = b.tensor("aten::linalg_lu_solve", { LU: LU!, pivots: pivots!, B: right, left });
        return [vectors ? e.squeeze(X, -1) : X, failed!];
      },
    },
  ),
  defineOp("aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor", {
    decompose: ({ A, B, left }, b) =>
      succeeded(b, "linalg.solve", SINGULAR, b.call("aten::linalg_solve_ex", { A, B, left })),
  }),
  defineOp(
    "aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor",
    {
      infer: ({ self, B, left }) => {
        check(B.shape.length >= 2, () => `linalg.solve_triangular: B must be at least 2-D, got ${show(B.shape)}`);
        return matrices("linalg.solve_triangular", self, B, left);
      },
    },
  ),
  defineOp(
    "aten::linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
    {
      requires: { choices: { driver: ["gesvd", "gesvdj", "gesvda"] } },
      infer: ({ A, full_matrices }) => {
        const { batch, rows, columns, rank } = sizes("linalg.svd", A);
        return [
          { dtype: A.dtype, shape: [...batch, rows, full_matrices ? rows : rank] },
          { dtype: partOf(A.dtype), shape: [...batch, rank] },
          { dtype: A.dtype, shape: [...batch, full_matrices ? columns : rank, columns] },
        ];
      },
    },
  ),
  defineOp("aten::linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor", {
    requires: { choices: { driver: ["gesvd", "gesvdj", "gesvda"] } },
    decompose: ({ A }, b) => b.call("aten::linalg_svd", { A, full_matrices: false })[1],
  }),
  defineOp(
    "aten::_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
    {
      requires: { choices: { driver: ["gesvd", "gesvdj", "gesvda"] } },
      decompose: ({ A, full_matrices }, b) => b.call("aten::linalg_svd", { A, full_matrices }),
    },
  ),
  defineOp(
    'aten::_linalg_eigh(Tensor A, str UPLO="L", bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)',
    {
      decompose: ({ A, UPLO }, b) => b.call("aten::linalg_eigh", { self: A, UPLO }),
    },
  ),
  defineOp('aten::linalg_qr(Tensor A, str mode="reduced") -> (Tensor Q, Tensor R)', {
    infer: ({ A, mode }) => {
      const { batch, rows, columns, rank } = sizes("linalg.qr", A);
      check(
        ["reduced", "complete", "r"].includes(mode),
        () => `qr received unrecognized mode '${mode}' but expected one of 'reduced' (default), 'r', or 'complete'`,
      );
      const inner = mode === "complete" ? rows : rank;
      return [
        { dtype: A.dtype, shape: mode === "r" ? [0] : [...batch, rows, inner] },
        { dtype: A.dtype, shape: [...batch, inner, columns] },
      ];
    },
    decompose({ A, mode }, b) {
      const e = emit(b);
      const { batch, rows, rank } = sizes("linalg.qr", A);
      const [reflections, tau] = b.call("aten::geqrf", { self: A });
      const inner = mode === "complete" ? rows : rank;
      const R = b.tensor("aten::triu", { self: e.slice(reflections, -2, 0, inner) });
      if (mode === "r") return [e.full([0], 0, A.dtype), R];
      const below = e.slice(reflections, -1, 0, rank);
      const more = e.full([...batch, rows, inner - rank], 0, A.dtype);
      const input = inner === rank ? below : e.cat([below, more], A.shape.length - 1);
      return [b.tensor("aten::linalg_householder_product", { input, tau }), R];
    },
  }),
  defineOp('aten::linalg_eigh(Tensor self, str UPLO="L") -> (Tensor eigenvalues, Tensor eigenvectors)', {
    infer: ({ self }) => [
      { dtype: partOf(self.dtype), shape: square("linalg.eigh", self).shape.slice(0, -1) },
      square("linalg.eigh", self),
    ],
  }),
];

/** The result of {@link sizes}. */
export interface Sizes {
  readonly batch: readonly number[];
  readonly rows: number;
  readonly columns: number;
  /** The smaller of the two. */
  readonly rank: number;
}

/** Returns the sizes of a batch of matrices. */
export function sizes(op: string, A: TensorMeta): Sizes {
  check(A.shape.length >= 2, () => `${op}: The input tensor A must have at least 2 dimensions, got ${show(A.shape)}`);
  checkFloating(op, A);
  const [rows, columns] = A.shape.slice(-2) as [number, number];
  return { batch: A.shape.slice(0, -2), rows, columns, rank: Math.min(rows, columns) };
}

/** Checks that the argument is a batch of square matrices, and returns it. */
export function square(op: string, A: TensorMeta): TensorMeta {
  const { rows, columns } = sizes(op, A);
  check(
    rows === columns,
    () => `${op}: A must be batches of square matrices, but they are ${rows} by ${columns} matrices`,
  );
  return { dtype: A.dtype, shape: A.shape };
}

/** Returns the conjugate transpose of each matrix. */
export function adjoint(b: Builder, self: TensorMeta): TensorMeta {
  return b.tensor("aten::mH", { self });
}

/** Infers the status result: one number per matrix. */
export function info(A: TensorMeta): TensorMeta {
  return { dtype: "int32", shape: A.shape.slice(0, -2) };
}

/** Returns whether `B` is a batch of vectors: its shape is that of A without the last dimension. */
function isVectors({ shape }: TensorMeta, B: TensorMeta): boolean {
  if (B.shape.length === 1) return true;
  return shape.length - 1 === B.shape.length && shape.slice(0, -1).every((n, i) => n === B.shape[i]);
}

function solution(op: string, A: TensorMeta, B: TensorMeta, left: boolean): TensorMeta {
  square(op, A);
  if (!isVectors(A, B)) return matrices(op, A, B, left);
  check(left, `${op}: Vector broadcasting of the left hand side is not supported for left=False`);
  const { shape: full } = matrices(op, A, { dtype: B.dtype, shape: [...B.shape, 1] }, left);
  return { dtype: A.dtype, shape: full.slice(0, -1) };
}

/** Returns the shape of `X` in `A X = B` or `X A = B`, with broadcast batches. */
export function matrices(op: string, A: TensorMeta, B: TensorMeta, left: boolean): TensorMeta {
  const size = square(op, A).shape.at(-1)!;
  checkSameDtype(op, A, B);
  check(
    B.shape.at(left ? -2 : -1) === size,
    () =>
      `${op}: Incompatible shapes of A and B for the equation ${left ? "AX = B" : "XA = B"}: ${show(A.shape)} and ${show(B.shape)}`,
  );
  return { dtype: A.dtype, shape: [...broadcast(A.shape.slice(0, -2), B.shape.slice(0, -2)), ...B.shape.slice(-2)] };
}
