import { partOf } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { broadcast } from "../support/dims.ts";
import { checkFloating, checkSameDtype } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Factorisations and systems of equations. They need a kernel. */
export const LINALG_OPS: readonly OpRecord[] = [
  defineOp("aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)", {
    infer: ({ A }) => [square("linalg.inv", A), info(A)],
  }),
  defineOp("aten::linalg_inv(Tensor A) -> Tensor", {
    decompose: ({ A }, b) => b.call("aten::linalg_inv_ex", { A })[0] as TensorMeta,
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
    decompose: ({ self, upper }, b) => b.call("aten::linalg_cholesky_ex", { self, upper })[0] as TensorMeta,
  }),
  defineOp("aten::cholesky(Tensor self, bool upper=False) -> Tensor", {
    decompose: ({ self, upper }, b) => b.call("aten::linalg_cholesky_ex", { self, upper })[0] as TensorMeta,
  }),
  defineOp(
    "aten::linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)",
    {
      infer: ({ A, B, left }) => [solution("linalg.solve", A, B, left), info(A)],
    },
  ),
  defineOp("aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor", {
    decompose: ({ A, B, left }, b) => b.call("aten::linalg_solve_ex", { A, B, left })[0] as TensorMeta,
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
    decompose: ({ A }, b) => b.call("aten::linalg_svd", { A, full_matrices: false })[1] as TensorMeta,
  }),
  defineOp(
    "aten::_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
    {
      decompose: ({ A, full_matrices }, b) =>
        b.call("aten::linalg_svd", { A, full_matrices }) as unknown as readonly [TensorMeta, TensorMeta, TensorMeta],
    },
  ),
  defineOp(
    'aten::_linalg_eigh(Tensor A, str UPLO="L", bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)',
    {
      decompose: ({ A, UPLO }, b) =>
        b.call("aten::linalg_eigh", { self: A, UPLO }) as unknown as readonly [TensorMeta, TensorMeta],
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
  }),
  defineOp('aten::linalg_eigh(Tensor self, str UPLO="L") -> (Tensor eigenvalues, Tensor eigenvectors)', {
    infer: ({ self }) => [
      { dtype: partOf(self.dtype), shape: square("linalg.eigh", self).shape.slice(0, -1) },
      square("linalg.eigh", self),
    ],
  }),
  defineOp("aten::linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor", {
    decompose: ({ self, rcond }, b) => {
      const e = emit(b);
      const [U, S, Vh] = b.call("aten::linalg_svd", { A: self, full_matrices: false }) as readonly TensorMeta[];
      const limit = e.mul(e.amax(S!, [-1], true), { float: rcond });
      const inverse = e.where(e.gt(S!, limit), b.tensor("aten::reciprocal", { self: S! }), 0);
      const right = e.mul(e.transpose(Vh!, -2, -1), e.unsqueeze(inverse, -2));
      return b.tensor("aten::matmul", { self: right, other: e.transpose(U!, -2, -1) });
    },
  }),
];

interface Sizes {
  readonly batch: readonly number[];
  readonly rows: number;
  readonly columns: number;
  /** The smaller of the two. */
  readonly rank: number;
}

function sizes(op: string, A: TensorMeta): Sizes {
  check(A.shape.length >= 2, () => `${op}: The input tensor A must have at least 2 dimensions, got ${show(A.shape)}`);
  checkFloating(op, A);
  const [rows, columns] = A.shape.slice(-2) as [number, number];
  return { batch: A.shape.slice(0, -2), rows, columns, rank: Math.min(rows, columns) };
}

function square(op: string, A: TensorMeta): TensorMeta {
  const { rows, columns } = sizes(op, A);
  check(
    rows === columns,
    () => `${op}: A must be batches of square matrices, but they are ${rows} by ${columns} matrices`,
  );
  return { dtype: A.dtype, shape: A.shape };
}

function info(A: TensorMeta): TensorMeta {
  return { dtype: "int32", shape: A.shape.slice(0, -2) };
}

/** `B` is a batch of vectors when its shape is A's without the last dimension. */
function solution(op: string, A: TensorMeta, B: TensorMeta, left: boolean): TensorMeta {
  const { shape } = square(op, A);
  const vectors =
    B.shape.length === 1 ||
    (shape.length - 1 === B.shape.length && shape.slice(0, -1).every((n, i) => n === B.shape[i]));
  if (!vectors) return matrices(op, A, B, left);
  check(left, `${op}: Vector broadcasting of the left hand side is not supported for left=False`);
  const { shape: full } = matrices(op, A, { dtype: B.dtype, shape: [...B.shape, 1] }, left);
  return { dtype: A.dtype, shape: full.slice(0, -1) };
}

function matrices(op: string, A: TensorMeta, B: TensorMeta, left: boolean): TensorMeta {
  const size = square(op, A).shape.at(-1)!;
  checkSameDtype(op, A, B);
  check(
    B.shape.at(left ? -2 : -1) === size,
    () =>
      `${op}: Incompatible shapes of A and B for the equation ${left ? "AX = B" : "XA = B"}: ${show(A.shape)} and ${show(B.shape)}`,
  );
  return { dtype: A.dtype, shape: [...broadcast(A.shape.slice(0, -2), B.shape.slice(0, -2)), ...B.shape.slice(-2)] };
}
