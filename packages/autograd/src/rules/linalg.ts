import type { Builder, TensorMeta } from "@pt2/registry";
import { type GradientRule, type GradientRules, ofResult } from "../gradient-rule.ts";
import { summedTo } from "../scalar-gradient.ts";
import { Emit, tensorOf } from "./support.ts";

/** The gradient of the logarithm of a determinant; its sign is constant. */
const logDeterminant: GradientRule = ({ args: { A }, grads }, b) => {
  const grad = grads[1];
  if (grad === null || grad === undefined) return {};
  return { A: new Emit(b).mul(column(grad, b), inverseTransposed(tensorOf(A), new Emit(b))) };
};

/** PyTorch multiplies by the determinant: that of a singular matrix has the gradient 0, whatever its cofactors are. */
const determinant: GradientRule = ofResult((grad, { A }, b, { results }) => {
  const e = new Emit(b);
  const [det] = results as readonly [TensorMeta];
  const slope = e.mul(column(e.mul(grad, det), b), inverseTransposed(tensorOf(A), e));
  const mask = column(e.tensor("aten::eq.Scalar", { self: det, other: 0 }), b);
  return { A: e.tensor("aten::masked_fill.Scalar", { self: slope, mask, value: 0 }) };
});

/** For AX = B: dB = A⁻ᵀ dX, dA = -dB Xᵀ. */
const solved: GradientRule = ofResult((grad, args, b, { results, wants }) => {
  const e = new Emit(b);
  const [A, B] = [tensorOf(args.A), tensorOf(args.B)];
  const left = args.left !== false;
  const isVector = left && results[0]!.shape.length === A.shape.length - 1;
  const whole = (x: TensorMeta): TensorMeta => (isVector ? b.tensor("aten::unsqueeze", { self: x, dim: -1 }) : x);
  const gB = e.call("aten::linalg_solve_ex", { A: e.transposed(A), B: whole(grad), left })[0] as TensorMeta;
  const X = whole(results[0]!);
  const product = left ? e.matmul(gB, e.transposed(X)) : e.matmul(e.transposed(X), gB);
  const flat = isVector ? b.tensor("aten::squeeze.dim", { self: gB, dim: -1 }) : gB;
  return {
    A: wants("A") ? summedTo(A.shape, e.neg(product), b) : null,
    B: wants("B") ? summedTo(B.shape, flat, b) : null,
  };
});

/** The derivative of the exponential is a block of that of a matrix twice as large: exp [[Aᵀ, G], [0, Aᵀ]]. */
const exponential: GradientRule = ofResult((grad, { self }, b) => {
  const e = new Emit(b);
  const A = tensorOf(self);
  const n = A.shape.at(-1)!;
  if (n === 0) return { self: e.zeros(A) };
  const transposed = e.transposed(A);
  const cat = (tensors: readonly TensorMeta[], dim: number): TensorMeta => e.tensor("aten::cat", { tensors, dim });
  const blocks = cat([cat([transposed, grad], -1), cat([e.zeros(A), transposed], -1)], -2);
  const made = e.tensor("aten::linalg_matrix_exp", { self: blocks });
  const part = (x: TensorMeta, dim: number, start: number): TensorMeta =>
    e.tensor("aten::slice.Tensor", { self: x, dim, start, end: start + n, step: 1 });
  return { self: part(part(made, -2, 0), -1, n) };
});

/** Linear algebra. The formulas are those of Giles, "Collected matrix derivative results for forward and reverse mode". */
export const LINALG_RULES: GradientRules = {
  "aten::linalg_inv_ex": ofResult((grad, _, b, { results }) => {
    const e = new Emit(b);
    const transposed = e.transposed(results[0]!);
    return { A: e.neg(e.matmul(e.matmul(transposed, grad), transposed)) };
  }),
  "aten::linalg_solve_ex": solved,
  "aten::_linalg_solve_ex": solved,
  "aten::_linalg_det": determinant,
  "aten::_linalg_slogdet": logDeterminant,
  "aten::linalg_slogdet": logDeterminant,
  "aten::linalg_det": determinant,
  "aten::linalg_matrix_exp": exponential,
  "aten::linalg_solve_triangular": ofResult((grad, args, b, { results, wants }) => {
    const e = new Emit(b);
    const { upper, left, unitriangular } = args;
    const [A, B] = [tensorOf(args.self), tensorOf(args.B)];
    const given = { upper: upper !== true, left: left!, unitriangular: unitriangular! };
    const gB = e.tensor("aten::linalg_solve_triangular", { self: e.transposed(A), B: grad, ...given });
    const X = results[0]!;
    const product = left === true ? e.matmul(gB, e.transposed(X)) : e.matmul(e.transposed(X), gB);
    const diagonal = unitriangular === true ? 1 : 0;
    const part = upper === true ? { op: "aten::triu", diagonal } : { op: "aten::tril", diagonal: -diagonal };
    return {
      self: wants("self")
        ? summedTo(A.shape, e.tensor(part.op, { self: e.neg(product), diagonal: part.diagonal }), b)
        : null,
      B: wants("B") ? summedTo(B.shape, gB, b) : null,
    };
  }),
  "aten::linalg_cholesky_ex": ofResult((grad, { upper }, b, { results }) => {
    const e = new Emit(b);
    const [L, gL] = upper === true ? [e.transposed(results[0]!), e.transposed(grad)] : [results[0]!, grad];
    // With phi, the lower triangle with half the diagonal: L^-T phi(L^T gL) L^-1, made symmetric.
    const inner = e.tensor("aten::tril", { self: e.matmul(e.transposed(L), gL) });
    const diagonal = e.tensor("aten::diagonal", { self: inner, dim1: -2, dim2: -1 });
    const half = e.tensor("aten::diagonal_scatter", {
      self: inner,
      src: e.mul(diagonal, { float: 0.5 }),
      dim1: -2,
      dim2: -1,
    });
    const solve = (B: TensorMeta, left: boolean): TensorMeta =>
      left
        ? e.tensor("aten::linalg_solve_triangular", { self: e.transposed(L), B, upper: true, left: true })
        : e.tensor("aten::linalg_solve_triangular", { self: L, B, upper: false, left: false });
    const middle = solve(solve(half, true), false);
    return { self: e.mul(e.add(middle, e.transposed(middle)), { float: 0.5 }) };
  }),
};

function column(x: TensorMeta, b: Builder): TensorMeta {
  return b.tensor("aten::unsqueeze", { self: b.tensor("aten::unsqueeze", { self: x, dim: -1 }), dim: -1 });
}

function inverseTransposed(A: TensorMeta, e: Emit): TensorMeta {
  return e.transposed(e.call("aten::linalg_inv_ex", { A })[0] as TensorMeta);
}
