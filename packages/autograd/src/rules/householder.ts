import { type Builder, isTensorMeta, type TensorMeta } from "@pt2/registry";
import { isComplex } from "../differentiable.ts";
import type { DifferentiableForm } from "../gradient-rule.ts";
import { Emit, tensorOf } from "./support.ts";

/** Products of reflections, one after the other: the columns below the diagonal are the vectors. */
export const householderProduct: DifferentiableForm = ({ input, tau }, b) => {
  const A = tensorOf(input);
  if (isComplex(A)) return null;
  const [m, n] = A.shape.slice(-2) as [number, number];
  const eye = b.tensor("aten::eye.m", { n: m, m: n, dtype: A.dtype });
  return reflected({ vectors: A, tau: tensorOf(tau), to: new Emit(b).expand(eye, A.shape), isReversed: false }, b);
};

/** The same, applied to a matrix. */
export const householderApplied: DifferentiableForm = ({ self, input2, input3, left, transpose }, b) => {
  const [vectors, tau, other] = [self, input2, input3].map(tensorOf) as [TensorMeta, TensorMeta, TensorMeta];
  if (!isTensorMeta(vectors) || isComplex(vectors)) return null;
  const e = new Emit(b);
  if (left === true) return reflected({ vectors, tau, to: other, isReversed: transpose === true }, b);
  const transposed = reflected({ vectors, tau, to: e.transposed(other), isReversed: transpose !== true }, b);
  return e.transposed(transposed);
};

interface Reflections {
  readonly vectors: TensorMeta;
  readonly tau: TensorMeta;
  /** What is reflected. */
  readonly to: TensorMeta;
  /** Whether the first reflection comes first, which gives the transposed product. */
  readonly isReversed: boolean;
}

function reflected({ vectors, tau, to, isReversed }: Reflections, b: Builder): TensorMeta {
  const e = new Emit(b);
  const count = tau.shape.at(-1)!;
  const below = e.tensor("aten::tril", { self: vectors, diagonal: -1 });
  const ones = e.full([...vectors.shape.slice(0, -2), Math.min(...vectors.shape.slice(-2))], 1, vectors.dtype);
  const whole = e.tensor("aten::diagonal_scatter", { self: below, src: ones, dim1: -2, dim2: -1 });
  const order = Array.from({ length: count }, (_, i) => (isReversed ? i : count - 1 - i));
  return order.reduce((made, i) => {
    const v = e.tensor("aten::slice.Tensor", { self: whole, dim: -1, start: i, end: i + 1 });
    const factor = e.tensor("aten::slice.Tensor", { self: tau, dim: -1, start: i, end: i + 1 });
    const along = e.mul(e.matmul(e.transposed(v), made), e.tensor("aten::unsqueeze", { self: factor, dim: -1 }));
    return e.sub(made, e.matmul(v, along));
  }, to);
}
