import { numel } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { fromStart } from "../index/gather.ts";
import { check } from "../support/check.ts";
import { range, wrapDim } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/**
 * Defines weight normalization, which splits weights into direction and length, and `renorm`, which bounds the norm of
 * rows.
 */
export const WEIGHT_NORM_OPS: readonly OpRecord[] = [
  defineOp("aten::norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor", {
    decompose: ({ v, pow, dim }, b) => normExcept(b, v, pow, dim),
  }),
  defineOp("aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor", {
    requires: { same: ["v", "g"] },
    decompose: ({ v, g, dim }, b) => weightNorm(b, v, g, dim)[0],
  }),
  defineOp("aten::_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)", {
    requires: { same: ["v", "g"] },
    decompose: ({ v, g, dim }, b) => {
      check(
        dim === 0 || dim === v.shape.length - 1,
        () => `_weight_norm_interface: dim must be the first or the last, got ${dim}`,
      );
      return weightNorm(b, v, g, dim);
    },
  }),
  defineOp("aten::embedding_renorm(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor", {
    requires: { kinds: { indices: "index" }, ranks: { self: [2] } },
    decompose: ({ self, indices, max_norm, norm_type }, b) => {
      const e = emit(b);
      const [rows, count] = [self.shape[0]!, numel(indices.shape)];
      const norm = b.tensor("aten::linalg_vector_norm", {
        self,
        ord: { float: norm_type },
        dim: range(self.shape.length).slice(1),
        keepdim: true,
      });
      const looked = b.tensor("aten::scatter.value", {
        self: e.full([rows], false, "bool"),
        dim: 0,
        index: fromStart(b, e.cast(e.reshape(indices, [count]), "int64"), rows),
        value: true,
      });
      const shrunk = e.div({ float: max_norm }, e.add(norm, { float: 1e-7 }));
      const long = b.tensor("aten::logical_and", {
        self: e.gt(norm, { float: max_norm }),
        other: e.reshape(looked, [rows, ...self.shape.slice(1).map(() => 1)]),
      });
      return e.mul(self, e.where(long, shrunk, { float: 1 }));
    },
  }),
];

function weightNorm(b: Builder, v: TensorMeta, g: TensorMeta, dim: number): readonly [TensorMeta, TensorMeta] {
  const e = emit(b);
  const norm = normExcept(b, v, 2, dim);
  return [e.mul(v, e.div(g, norm)), norm];
}

/** Computes the norm over every dimension but `dim`; here -1 means all dimensions, not the last one. */
function normExcept(b: Builder, v: TensorMeta, pow: number, dim: number): TensorMeta {
  const rank = v.shape.length;
  const kept = dim === -1 ? -1 : wrapDim(dim, rank);
  const options = dim === -1 ? {} : { dim: range(rank).filter((d) => d !== kept), keepdim: true };
  return b.tensor("aten::linalg_vector_norm", { self: v, ord: pow, ...options });
}
