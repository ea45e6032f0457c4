import type { Builder } from "../../builder.ts";
import { isHalfPrecision } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import { resultType } from "../../promotion.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { broadcast, numel, sameShape } from "../support/dims.ts";
import { checkSameDtype, isIntegral, toNumber } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { inferMatmul } from "./matmul.ts";

/** Defines linear layers, and `addmm`, which they decompose into. */
export const LINEAR_OPS: readonly OpRecord[] = [
  defineOp("aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", {
    infer: ({ self, mat1, mat2 }) => {
      check(
        mat1.shape.length === 2 && mat2.shape.length === 2,
        () => `mat1 and mat2 must be matrices, got ${show(mat1.shape)} and ${show(mat2.shape)}`,
      );
      check(
        mat1.shape[1] === mat2.shape[0],
        () => `mat1 and mat2 shapes cannot be multiplied (${mat1.shape.join("x")} and ${mat2.shape.join("x")})`,
      );
      checkSameDtype("addmm", mat1, mat2, self);
      return withAddend(self, [mat1.shape[0]!, mat2.shape[1]!]);
    },
    decompose: ({ self, mat1, mat2, beta, alpha }, b) =>
      addProduct(b, { self, factors: [mat1, mat2], beta, alpha, mayLeaveOut: true }, (x, y) =>
        b.tensor("aten::mm", { self: x, mat2: y }),
      ),
  }),
  defineOp("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", {
    infer: ({ input, weight, bias }) => {
      check(
        weight.shape.length === 1 || weight.shape.length === 2,
        () => `linear: weight must be 1-D or 2-D, got ${show(weight.shape)}`,
      );
      const product = inferMatmul(input, { dtype: weight.dtype, shape: weight.shape.toReversed() });
      if (bias === null) return product;
      if (isAddmm(input, weight, bias)) {
        checkSameDtype("linear", product, bias);
        return withAddend(bias, product.shape);
      }
      return { dtype: resultType([product, bias]), shape: broadcast(product.shape, bias.shape) };
    },
    decompose: ({ input, weight, bias }, b) => {
      const e = emit(b);
      const matrix = weight.shape.length === 1 ? weight : e.transpose(weight, 0, 1);
      if (bias === null || !isAddmm(input, weight, bias)) {
        const result = b.tensor("aten::matmul", { self: input, other: matrix });
        return bias === null ? result : e.add(result, bias);
      }
      const lead = input.shape.slice(0, -1);
      const rows = e.reshape(input, [numel(lead), input.shape.at(-1)!]);
      return e.reshape(b.tensor("aten::addmm", { self: bias, mat1: rows, mat2: matrix }), [...lead, weight.shape[0]!]);
    },
  }),
];

/** Whether PyTorch computes a linear layer as `addmm`, which converts nothing and expands the bias at most to its columns. */
function isAddmm(input: TensorMeta, weight: TensorMeta, bias: TensorMeta): boolean {
  return input.shape.length >= 2 && weight.shape.length === 2 && bias.shape.length === 1;
}

/** Checks that the addend broadcasts to the product; the product never broadcasts to the addend. */
export function withAddend(self: TensorMeta, shape: readonly number[]): TensorMeta {
  check(
    self.shape.length <= shape.length && sameShape(broadcast(self.shape, shape), shape),
    () => `The expanded size of the tensor ${show(shape)} must match the existing size ${show(self.shape)}`,
  );
  return { dtype: self.dtype, shape };
}

/** `beta * self + alpha * product`, of a product that is not computed yet. */
interface Addition {
  readonly self: TensorMeta;
  readonly factors: [TensorMeta, TensorMeta];
  readonly beta: Scalar;
  readonly alpha: Scalar;
  /** Whether the factors are not read if `alpha` is 0, as by BLAS, so that their infinities and NaNs do not spread. */
  readonly mayLeaveOut: boolean;
}

/**
 * Computes `beta * self + alpha * multiply(...factors)`. In half precision the product is a float32, as the sums are that
 * PyTorch's matrix products compute: only the result is rounded.
 */
export function addProduct(
  b: Builder,
  { self, factors, beta, alpha, mayLeaveOut }: Addition,
  multiply: (x: TensorMeta, y: TensorMeta) => TensorMeta,
): TensorMeta {
  const e = emit(b);
  const isHalf = isHalfPrecision(self.dtype);
  // A factor without elements leaves nothing to multiply by `alpha`, which may be infinite.
  if (factors.some(({ shape }) => numel(shape) === 0) || (mayLeaveOut && !isHalf && equals(alpha, 0))) {
    const { shape } = withAddend(self, multiply(...factors).shape);
    return equals(beta, 0) ? e.full(shape, 0, self.dtype) : e.expand(times(b, self, beta), shape);
  }
  if (!isHalf) return combine(b, self, multiply(...factors), beta, alpha);
  const wide = (x: TensorMeta): TensorMeta => e.cast(x, "float32");
  const product = multiply(wide(factors[0]), wide(factors[1]));
  return e.cast(combine(b, wide(self), product, beta, alpha), self.dtype);
}

function isComplexNumber(scalar: Scalar): boolean {
  return typeof scalar === "object" && "re" in scalar;
}

/** Computes `beta * self + alpha * product`. If `beta` is 0 the addend is not read, so that its NaNs do not spread. */
export function combine(b: Builder, self: TensorMeta, product: TensorMeta, beta: Scalar, alpha: Scalar): TensorMeta {
  withAddend(self, product.shape);
  const scaled = times(b, product, alpha);
  return equals(beta, 0) ? scaled : emit(b).add(times(b, self, beta), scaled);
}

/** Multiplies by a factor. With an integer dtype that is truncated to an integer. */
export function times(b: Builder, x: TensorMeta, scalar: Scalar): TensorMeta {
  const factor = isIntegral(x.dtype) && typeof scalar !== "bigint" ? Math.trunc(toNumber(scalar)) : scalar;
  const e = emit(b);
  return equals(factor, 1) ? x : e.cast(e.mul(x, factor), x.dtype);
}

function equals(scalar: Scalar, value: number): boolean {
  return !isComplexNumber(scalar) && toNumber(scalar) === value;
}
