import type { Builder, TensorMeta } from "@pt2/registry";
import { autogradError } from "../autograd-errors.ts";
import { type GradientRule, type GradientRules, ofResult } from "../gradient-rule.ts";
import { summedTo } from "../scalar-gradient.ts";
import { Emit, tensorOf } from "./support.ts";

type Grad = TensorMeta | null | undefined;

/** A = V diag(L) Vᵀ: V (diag(gL) + Vᵀ gV / (Lj - Li)) Vᵀ. */
const eigen: GradientRule = ({ grads: [gL, gV], results }, b) => {
  const e = new Emit(b);
  const [L, V] = results as readonly [TensorMeta, TensorMeta];
  if (!gL && !gV) return {};
  const offDiagonal = gV ? e.div(e.matmul(e.transposed(V), gV), gaps(L, e)) : null;
  const inner = withDiagonal(offDiagonal ?? e.zeros(V), gL ?? e.zeros(L), b);
  return { self: e.matmul(e.matmul(V, inner), e.transposed(V)) };
};

/** A = U diag(S) Vᵀ, by the skew parts of Uᵀ gU and Vᵀ gV. */
const singular: GradientRule = ({ grads, results }, b) => {
  const e = new Emit(b);
  const S = results[1]!;
  const k = S.shape.at(-1)!;
  // Vectors of a full basis beyond the first ones are not unique; PyTorch takes them for constants.
  const U = narrowed(results[0]!, -1, 0, k, b);
  const Vh = narrowed(results[2]!, -2, 0, k, b);
  const [gU, gVh] = [
    grads[0] ? narrowed(grads[0], -1, 0, k, b) : null,
    grads[2] ? narrowed(grads[2], -2, 0, k, b) : null,
  ];
  const gS: Grad = grads[1];
  if (!gU && !gS && !gVh) return {};
  const [row, column] = [unsqueezed(S, -2, b), unsqueezed(S, -1, b)];
  const distances = gaps(e.mul(S, S), e);
  const skew = (x: TensorMeta): TensorMeta => e.div(e.sub(x, e.transposed(x)), distances);
  const left = gU ? e.matmul(e.transposed(U), gU) : null;
  const right = gVh ? e.matmul(gVh, e.transposed(Vh)) : null;
  const fromU = left && e.mul(skew(left), row);
  const fromV = right && e.mul(skew(e.transposed(right)), column);
  const both = fromU && fromV ? e.add(fromU, fromV) : (fromU ?? fromV ?? e.zeros(e.matmul(e.transposed(U), U)));
  // What is skew has zeros there.
  const inner = withDiagonal(both, gS ?? e.zeros(S), b);
  const [m, n] = [U.shape.at(-2)!, Vh.shape.at(-1)!];
  const wide = gVh && n > k ? e.div(e.sub(gVh, e.matmul(right!, Vh)), column) : null;
  if (gU && m > k) {
    const beside = e.div(e.sub(gU, e.matmul(U, left!)), row);
    return { A: e.matmul(e.add(e.matmul(U, inner), beside), Vh) };
  }
  const rows = e.matmul(inner, Vh);
  return { A: e.matmul(U, wide ? e.add(rows, wide) : rows) };
};

/** A = QR, with R a triangle, or a triangle and what is beside it. */
const orthogonal: GradientRule = ({ args: { mode, A }, grads: [gQ, gR], results, node }, b) => {
  const e = new Emit(b);
  const [Q, R] = results as readonly [TensorMeta, TensorMeta];
  if (!gQ && !gR) return {};
  const [m, n] = tensorOf(A).shape.slice(-2) as [number, number];
  if (mode === "r" || (mode === "complete" && m > n)) {
    throw autogradError("autograd.no-gradient", {
      what: `linalg_qr with mode "${mode}" has no derivative for ${m} rows and ${n} columns`,
      where: node?.name,
      advice: 'Use mode "reduced", as in PyTorch.',
    });
  }
  const ofR = gR ? e.matmul(gR, e.transposed(R)) : null;
  const ofQ = gQ ? e.matmul(e.transposed(Q), gQ) : null;
  if (m >= n) {
    const difference = ofR && ofQ ? e.sub(ofR, ofQ) : (ofR ?? e.neg(ofQ!));
    const upper = triangle("triu", difference, 0, b);
    const symmetric = e.sub(
      e.add(upper, e.transposed(upper)),
      e.tensor("aten::diag_embed", { self: diagonal(upper, b) }),
    );
    const moved = e.matmul(Q, symmetric);
    return { A: solved(e.transposed(R), gQ ? e.add(gQ, moved) : moved, false, b) };
  }
  const difference = ofR && ofQ ? e.sub(ofQ, ofR) : (ofQ ?? e.neg(ofR!));
  const lower = triangle("tril", e.sub(difference, e.transposed(difference)), -1, b);
  const square = solved(e.transposed(narrowed(R, -1, 0, m, b)), lower, false, b);
  const padded = e.tensor("aten::constant_pad_nd", { self: square, pad: [0, n - m] });
  return { A: e.matmul(Q, gR ? e.add(padded, gR) : padded) };
};

/** PA = LU, whose triangles lie in one matrix. */
const triangles: GradientRule = ({ args, grads: [grad], results }, b) => {
  if (!grad) return {};
  const e = new Emit(b);
  const [LU, pivots] = results as readonly [TensorMeta, TensorMeta];
  const [m, n] = tensorOf(args.A).shape.slice(-2) as [number, number];
  const k = Math.min(m, n);
  const [P, L, U] = e.call("aten::lu_unpack", { LU_data: LU, LU_pivots: pivots }) as readonly TensorMeta[];
  const [gL, gU] = [
    triangle("tril", narrowed(grad, -1, 0, k, b), -1, b),
    triangle("triu", narrowed(grad, -2, 0, k, b), 0, b),
  ];
  const [fromL, fromU] = [e.matmul(e.transposed(L!), gL), e.matmul(gU, e.transposed(U!))];
  if (m <= n) {
    const lower = triangle("tril", e.sub(fromL, fromU), -1, b);
    const first = solved(e.transposed(narrowed(U!, -1, 0, k, b)), lower, false, b);
    const whole = e.add(e.tensor("aten::constant_pad_nd", { self: first, pad: [0, n - k] }), gU);
    return { A: e.matmul(P!, unitSolved(e.transposed(L!), whole, true, b)) };
  }
  const upper = triangle("triu", e.sub(fromU, fromL), 0, b);
  const first = unitSolved(e.transposed(narrowed(L!, -2, 0, k, b)), upper, true, b);
  const whole = e.add(e.tensor("aten::constant_pad_nd", { self: first, pad: [0, 0, 0, m - k] }), gL);
  return { A: e.matmul(P!, solved(e.transposed(U!), whole, false, b)) };
};

/** Of X = A⁻¹B, or what `left` and `adjoint` make of it, with A = P L U. */
const luSolved: GradientRule = ofResult((grad, args, b, { results, wants }) => {
  const e = new Emit(b);
  const { LU, pivots, left, adjoint } = args;
  const [isLeft, isAdjoint] = [left !== false, adjoint === true];
  const gB = e.tensor("aten::linalg_lu_solve", {
    LU: LU!,
    pivots: pivots!,
    B: grad,
    left: isLeft,
    adjoint: !isAdjoint,
  });
  const B = wants("B") ? summedTo(tensorOf(args.B).shape, gB, b) : null;
  if (!wants("LU")) return { B };
  const X = results[0]!;
  const [P, L, U] = e.call("aten::lu_unpack", { LU_data: LU!, LU_pivots: pivots! }) as readonly TensorMeta[];
  const [Lh, Uh] = [e.transposed(L!), e.transposed(U!)];
  if (isLeft !== isAdjoint) {
    const product = isLeft ? e.matmul(grad, e.transposed(X)) : e.matmul(e.transposed(grad), X);
    const gR = e.tensor("aten::linalg_solve_triangular", { self: Uh, B: e.neg(product), upper: false });
    const gL = triangle("tril", unitSolved(Lh, e.matmul(gR, Uh), true, b), -1, b);
    return { B, LU: summedTo(tensorOf(LU).shape, e.add(gL, triangle("triu", gR, 0, b)), b) };
  }
  const product = isLeft ? e.matmul(X, e.transposed(grad)) : e.matmul(e.transposed(X), grad);
  const permuted = e.neg(e.matmul(e.matmul(e.transposed(P!), product), P!));
  const gR = unitSolved(Lh, permuted, false, b);
  const gU = triangle("triu", solved(Uh, e.matmul(Lh, gR), false, b), 0, b);
  return { B, LU: summedTo(tensorOf(LU).shape, e.add(triangle("tril", gR, -1, b), gU), b) };
});

/** The triangles of a matrix that has both. */
const unpacked: GradientRule = ({ args, grads: [, gL, gU] }, b) => {
  const e = new Emit(b);
  const [m, n] = tensorOf(args.LU_data).shape.slice(-2) as [number, number];
  const k = Math.min(m, n);
  const padded = (self: TensorMeta, pad: readonly number[]): TensorMeta =>
    e.tensor("aten::constant_pad_nd", { self, pad });
  const lower = gL ? padded(triangle("tril", gL, -1, b), [0, n - k]) : null;
  const upper = gU ? padded(triangle("triu", gU, 0, b), [0, 0, 0, m - k]) : null;
  if (!lower && !upper) return {};
  return { LU_data: lower && upper ? e.add(lower, upper) : (lower ?? upper)! };
};

/** The pseudo-inverse of a matrix of constant rank, by Golub and Pereyra. */
const pseudoInverse: GradientRule = ofResult((grad, { self }, b, { results }) => {
  const e = new Emit(b);
  const [A, X] = [tensorOf(self), results[0]!];
  const [gradT, XT] = [e.transposed(grad), e.transposed(X)];
  if (A.shape.at(-2)! <= A.shape.at(-1)!) {
    const K = e.matmul(gradT, X);
    const KX = e.matmul(K, XT);
    const first = e.sub(KX, e.transposed(e.matmul(X, K)));
    const second = e.matmul(e.matmul(A, X), KX);
    return { self: e.add(e.sub(first, second), e.matmul(e.matmul(XT, X), e.sub(gradT, e.matmul(K, A)))) };
  }
  const K = e.matmul(X, gradT);
  const XK = e.matmul(XT, K);
  const first = e.sub(e.matmul(e.matmul(e.sub(gradT, e.matmul(A, K)), X), XT), e.transposed(e.matmul(K, X)));
  return { self: e.add(first, e.sub(XK, e.matmul(e.matmul(XK, X), A))) };
});

/** Factorizations of real matrices, by the formulas of PyTorch. */
export const FACTORIZATION_RULES: GradientRules = {
  "aten::linalg_eigh": eigen,
  "aten::linalg_svd": singular,
  "aten::linalg_qr": orthogonal,
  "aten::linalg_lu_factor_ex": triangles,
  "aten::linalg_lu_solve": luSolved,
  "aten::lu_unpack": unpacked,
  "aten::linalg_pinv.atol_rtol_tensor": pseudoInverse,
  "aten::linalg_pinv.atol_rtol_float": pseudoInverse,
  "aten::linalg_pinv": pseudoInverse,
  "aten::linalg_pinv.rcond_tensor": pseudoInverse,
  "aten::pinverse": pseudoInverse,
};

/** Returns `xj - xi` for each pair, and 1 on the diagonal. */
function gaps(x: TensorMeta, e: Emit): TensorMeta {
  const differences = e.sub(unsqueezed(x, -2, e.b), unsqueezed(x, -1, e.b));
  return withDiagonal(differences, e.full(x.shape, 1, x.dtype), e.b);
}

function withDiagonal(self: TensorMeta, src: TensorMeta, b: Builder): TensorMeta {
  return b.tensor("aten::diagonal_scatter", { self, src, dim1: -2, dim2: -1 });
}

function diagonal(self: TensorMeta, b: Builder): TensorMeta {
  return b.tensor("aten::diagonal", { self, dim1: -2, dim2: -1 });
}

function unsqueezed(self: TensorMeta, dim: number, b: Builder): TensorMeta {
  return b.tensor("aten::unsqueeze", { self, dim });
}

function narrowed(self: TensorMeta, dim: number, start: number, length: number, b: Builder): TensorMeta {
  return self.shape.at(dim) === length
    ? self
    : b.tensor("aten::slice.Tensor", { self, dim, start, end: start + length });
}

function triangle(half: "tril" | "triu", self: TensorMeta, from: number, b: Builder): TensorMeta {
  return b.tensor(`aten::${half}`, { self, diagonal: from });
}

/** Solves X A = B for a lower triangle A. */
function solved(self: TensorMeta, B: TensorMeta, left: boolean, b: Builder): TensorMeta {
  return b.tensor("aten::linalg_solve_triangular", { self, B, upper: false, left });
}

/** Solves A X = B, or X A = B, for an upper triangle A with ones on the diagonal. */
function unitSolved(self: TensorMeta, B: TensorMeta, left: boolean, b: Builder): TensorMeta {
  return b.tensor("aten::linalg_solve_triangular", { self, B, upper: true, left, unitriangular: true });
}
