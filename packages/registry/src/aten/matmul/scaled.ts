import { DTYPES, numel } from "@pt2/format";
import { isFloat8 } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { emit } from "../support/emit.ts";

/** Defines products of matrices in few bits, whose rows and columns have scales. */
export const SCALED_PRODUCT_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::_scaled_mm(Tensor self, Tensor mat2, Tensor scale_a, Tensor scale_b, Tensor? bias=None, Tensor? scale_result=None, ScalarType? out_dtype=None, bool use_fast_accum=False) -> Tensor",
    {
      requires: { ranks: { self: [2], mat2: [2] } },
      // As PyTorch's CPU kernel: both sides are scaled in float32 before they are multiplied.
      decompose({ self, mat2, scale_a, scale_b, bias, scale_result, out_dtype }, b) {
        const e = emit(b);
        check(
          isFloat8(self.dtype) && isFloat8(mat2.dtype),
          () => `expected both sides to be float8, got ${self.dtype} and ${mat2.dtype}`,
        );
        const scaled = (side: TensorMeta, scale: TensorMeta, rows: boolean): TensorMeta =>
          e.mul(
            e.cast(side, "float32"),
            scaleOf(side, scale, rows, (x, shape) => e.reshape(x, shape)),
          );
        const product = b.tensor("aten::mm", {
          self: scaled(self, scale_a, true),
          mat2: scaled(mat2, scale_b, false),
        });
        const sum = bias === null ? product : e.add(product, e.cast(bias, "float32"));
        const dtype = out_dtype ?? self.dtype;
        const isScaled = scale_result !== null && isFloat8(dtype);
        return e.cast(isScaled ? e.div(sum, e.reshape(scale_result, [])) : sum, dtype);
      },
    },
  ),
  defineOp("aten::_weight_int8pack_mm(Tensor self, Tensor mat2, Tensor scales) -> Tensor", {
    requires: { ranks: { self: [2], mat2: [2], scales: [1] }, kinds: { self: "float", mat2: "int8" } },
    decompose({ self, mat2, scales }, b) {
      const e = emit(b);
      check(
        self.shape[1] === mat2.shape[1] && scales.shape[0] === mat2.shape[0],
        () => `cannot multiply ${show(self.shape)} by the rows of ${show(mat2.shape)} with ${scales.shape[0]} scales`,
      );
      const weight = e.transpose(e.cast(mat2, "float32"), 0, 1);
      const product = b.tensor("aten::mm", { self: e.cast(self, "float32"), mat2: weight });
      return e.cast(e.mul(product, e.cast(scales, "float32")), self.dtype);
    },
  }),
];

/** Returns a scale of all elements, or one of each row or column, as it is multiplied by them. */
function scaleOf(
  { shape }: TensorMeta,
  scale: TensorMeta,
  rows: boolean,
  reshape: (x: TensorMeta, shape: readonly number[]) => TensorMeta,
): TensorMeta {
  const [m, n] = shape as readonly [number, number];
  const each = rows ? [m, 1] : [1, n];
  check(DTYPES[scale.dtype].kind === "float", () => `expected scales of float32, got ${scale.dtype}`);
  if (numel(scale.shape) === 1) return reshape(scale, []);
  check(
    `${scale.shape}` === `${each}`,
    () => `expected a scale for all, or of shape ${show(each)}, got ${show(scale.shape)}`,
  );
  return scale;
}
