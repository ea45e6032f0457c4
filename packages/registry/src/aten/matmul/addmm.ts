import { isSmallFloat } from "@pt2/format";
import { isHalfPrecision, promoteTypes } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import { convert } from "../../scalar/convert.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, range, sameShape } from "../support/dims.ts";
import { checkSameDtype, isComplex, toNumber } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { addProduct, combine, times, withAddend } from "./linear.ts";

/** Defines `addmm` and its variants: `beta * self + alpha * product`. */
export const ADDMM_OPS: readonly OpRecord[] = [
  defineOp("aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", {
    infer: ({ self, batch1, batch2 }) => {
      const shape = batchShape("baddbmm", batch1, batch2);
      checkSameDtype("baddbmm", batch1, batch2, self);
      return withAddend(self, shape);
    },
    decompose: ({ self, batch1, batch2, beta, alpha }, b) =>
      addProduct(
        b,
        { self, factors: [batch1, batch2], beta, alpha, mayLeaveOut: !isSmallProduct(batch1, batch2) },
        (x, y) => b.tensor("aten::bmm", { self: x, mat2: y }),
      ),
  }),
  defineOp("aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", {
    requires: { same: ["self", "batch1", "batch2"] },
    decompose: ({ self, batch1, batch2, beta, alpha }, b) => {
      const [batch, n, m] = batchShape("addbmm", batch1, batch2);
      const e = emit(b);
      const k = batch1.shape[2]!;
      if (isSmallFloat(self.dtype) && batch !== 0) {
        // PyTorch adds one product after the other, and rounds each sum.
        const at = (x: TensorMeta, index: number): TensorMeta =>
          b.tensor("aten::select.int", { self: x, dim: 0, index });
        const add = (sum: TensorMeta, i: number): TensorMeta =>
          b.tensor("aten::addmm", {
            self: sum,
            mat1: at(batch1, i),
            mat2: at(batch2, i),
            beta: i === 0 ? beta : 1,
            alpha,
          });
        return range(batch!).reduce(add, self);
      }
      // A sum over the batch is one product over the combined inner dimension.
      const left = e.reshape(e.permute(batch1, [1, 0, 2]), [n!, batch! * k]);
      const right = e.reshape(batch2, [batch! * k, m!]);
      return addProduct(b, { self, factors: [left, right], beta, alpha, mayLeaveOut: true }, (x, y) =>
        b.tensor("aten::mm", { self: x, mat2: y }),
      );
    },
  }),
  defineOp("aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor", {
    requires: { same: ["self", "mat", "vec"] },
    decompose: ({ self, mat, vec, beta, alpha }, b) =>
      addProduct(b, { self, factors: [mat, vec], beta, alpha, mayLeaveOut: !isComplex(mat.dtype) }, (x, y) =>
        b.tensor("aten::mv", { self: x, vec: y }),
      ),
  }),
  defineOp("aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", {
    requires: { factors: ["beta", "alpha"] },
    decompose: ({ self, vec1, vec2, beta, alpha }, b) => {
      // PyTorch multiplies by `alpha` first, which rounds, as do factors of half precision.
      const dtype = promoteTypes(promoteTypes(self.dtype, vec1.dtype), vec2.dtype);
      const factor = (x: Scalar): Scalar =>
        isHalfPrecision(dtype) ? { float: Number(convert(dtype, toNumber(x))) } : x;
      const scaled = times(b, emit(b).cast(vec1, dtype), factor(alpha));
      return combine(b, self, b.tensor("aten::outer", { self: scaled, vec2 }), factor(beta), 1);
    },
  }),
  defineOp("aten::bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor", {
    requires: { same: ["input1", "input2", "weight", "bias"] },
    decompose: ({ input1, input2, weight, bias }, b) => {
      const e = emit(b);
      check(weight.shape.length === 3, () => `bilinear: weight must be 3-D, got ${show(weight.shape)}`);
      const [out, n, m] = weight.shape as readonly [number, number, number];
      check(
        bias === null || sameShape(bias.shape, [out]),
        () => `bilinear(): bias size does not match weight size: got ${show(bias!.shape)} but expected [${out}]`,
      );
      const lead = input1.shape.slice(0, -1);
      check(sameShape(lead, input2.shape.slice(0, -1)), "bilinear(): input batch dimensions do not match");
      check(
        input1.shape.at(-1) === n && input2.shape.at(-1) === m,
        () =>
          `bilinear(): inputs of ${input1.shape.at(-1)} and ${input2.shape.at(-1)} features do not fit weight ${show(weight.shape)}`,
      );
      const rows = e.reshape(input1, [numel(lead), n]);
      const matrix = e.reshape(e.permute(weight, [1, 0, 2]), [n, out * m]);
      const left = e.reshape(b.tensor("aten::mm", { self: rows, mat2: matrix }), [numel(lead), out, m]);
      const right = e.reshape(input2, [numel(lead), m, 1]);
      const result = e.reshape(b.tensor("aten::bmm", { self: left, mat2: right }), [...lead, out]);
      return bias === null ? result : e.add(result, bias);
    },
  }),
];

/** Returns whether PyTorch multiplies the matrices of a batch in loops of its own, without BLAS. */
function isSmallProduct({ shape: [, n, k] }: TensorMeta, { shape: [, , m] }: TensorMeta): boolean {
  return k! * n! * m! < 400;
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
