import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { broadcast, numel, sameShape } from "../support/dims.ts";
import { checkSameDtype, isIntegral, toNumber } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** `beta * self + alpha * product`: `addmm` and its relatives, and `linear`. */
export const ADDMM_OPS: readonly OpRecord[] = [
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
      combine(b, self, b.tensor("aten::mm", { self: mat1, mat2 }), beta, alpha),
  }),
  defineOp("aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", {
    infer: ({ self, batch1, batch2 }) => {
      const shape = batchShape("baddbmm", batch1, batch2);
      checkSameDtype("baddbmm", batch1, batch2, self);
      return withAddend(self, shape);
    },
    decompose: ({ self, batch1, batch2, beta, alpha }, b) =>
      combine(b, self, b.tensor("aten::bmm", { self: batch1, mat2: batch2 }), beta, alpha),
  }),
  defineOp("aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", {
    decompose: ({ self, batch1, batch2, beta, alpha }, b) => {
      const [batch, n, m] = batchShape("addbmm", batch1, batch2);
      const e = emit(b);
      const k = batch1.shape[2]!;
      // Summing over the batch is one product over the joint inner dimension.
      const left = e.reshape(e.permute(batch1, [1, 0, 2]), [n!, batch! * k]);
      const right = e.reshape(batch2, [batch! * k, m!]);
      return combine(b, self, b.tensor("aten::mm", { self: left, mat2: right }), beta, alpha);
    },
  }),
  defineOp("aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor", {
    decompose: ({ self, mat, vec, beta, alpha }, b) =>
      combine(b, self, b.tensor("aten::mv", { self: mat, vec }), beta, alpha),
  }),
  defineOp("aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", {
    decompose: ({ self, vec1, vec2, beta, alpha }, b) =>
      combine(b, self, b.tensor("aten::outer", { self: vec1, vec2 }), beta, alpha),
  }),
  defineOp("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", {
    decompose: ({ input, weight, bias }, b) => {
      const e = emit(b);
      check(
        weight.shape.length === 1 || weight.shape.length === 2,
        () => `linear: weight must be 1-D or 2-D, got ${show(weight.shape)}`,
      );
      const matrix = weight.shape.length === 1 ? weight : e.transpose(weight, 0, 1);
      if (bias === null || input.shape.length < 2 || weight.shape.length === 1 || bias.shape.length !== 1) {
        const result = b.tensor("aten::matmul", { self: input, other: matrix });
        return bias === null ? result : e.add(result, bias);
      }
      const lead = input.shape.slice(0, -1);
      const rows = e.reshape(input, [numel(lead), input.shape.at(-1)!]);
      return e.reshape(b.tensor("aten::addmm", { self: bias, mat1: rows, mat2: matrix }), [...lead, weight.shape[0]!]);
    },
  }),
  defineOp("aten::bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor", {
    decompose: ({ input1, input2, weight, bias }, b) => {
      const e = emit(b);
      check(weight.shape.length === 3, () => `bilinear: weight must be 3-D, got ${show(weight.shape)}`);
      const [out, n, m] = weight.shape as readonly [number, number, number];
      const lead = input1.shape.slice(0, -1);
      check(sameShape(lead, input2.shape.slice(0, -1)), "bilinear(): input batch dimensions do not match");
      check(
        input1.shape.at(-1) === n && input2.shape.at(-1) === m,
        () =>
          `bilinear(): inputs of ${input1.shape.at(-1)} and ${input2.shape.at(-1)} features do not fit weight ${show(weight.shape)}`,
      );
      const rows = e.reshape(input1, [numel(lead), n]);
      const matrix = e.reshape(e.permute(weight, [1, 0, 2]), [n, out * m]);
      const left = e.reshape(b.tensor("aten::mm", { self: rows, mat2: matrix }), [...lead, out, m]);
      const result = e.cast(e.sum(e.mul(left, e.unsqueeze(input2, -2)), [-1]), input1.dtype);
      return bias === null ? result : e.add(result, bias);
    },
  }),
];

/** The addend broadcasts to the product, never the other way round. */
function withAddend(self: TensorMeta, shape: readonly number[]): TensorMeta {
  check(
    self.shape.length <= shape.length && sameShape(broadcast(self.shape, shape), shape),
    () => `The expanded size of the tensor ${show(shape)} must match the existing size ${show(self.shape)}`,
  );
  return { dtype: self.dtype, shape };
}

function batchShape(op: string, batch1: TensorMeta, batch2: TensorMeta): readonly number[] {
  const [x, y] = [batch1.shape, batch2.shape];
  check(x.length === 3 && y.length === 3, () => `${op}: batch1 and batch2 must be 3-D, got ${show(x)} and ${show(y)}`);
  check(
    x[0] === y[0] && x[2] === y[1],
    () =>
      `${op}: Expected size for first two dimensions of batch2 tensor to be: [${x[0]}, ${x[2]}] but got: [${y[0]}, ${y[1]}]`,
  );
  return [x[0]!, x[1]!, y[2]!];
}

function isComplexNumber(scalar: Scalar): boolean {
  return typeof scalar === "object" && "re" in scalar;
}

/** With `beta` 0 the addend is not read: NaN in it does not spread. */
function combine(b: Builder, self: TensorMeta, product: TensorMeta, beta: Scalar, alpha: Scalar): TensorMeta {
  const e = emit(b);
  withAddend(self, product.shape);
  // Integers are scaled by integers: the fractions of the factors are lost.
  const factor = (scalar: Scalar): Scalar => (isIntegral(product.dtype) ? Math.trunc(toNumber(scalar)) : scalar);
  const equals = (scalar: Scalar, value: number): boolean => !isComplexNumber(scalar) && toNumber(scalar) === value;
  const times = (x: TensorMeta, scalar: Scalar): TensorMeta =>
    equals(scalar, 1) ? x : e.cast(e.mul(x, scalar), x.dtype);
  const scaled = times(product, factor(alpha));
  if (equals(beta, 0)) return scaled;
  return e.add(times(self, factor(beta)), scaled);
}
