import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, reducedDims, reducedShape, wrapDim } from "../support/dims.ts";
import { isComplex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

type Side = "max" | "min";

/** Defines largest and smallest elements with their positions. NaN is larger and smaller than every number. */
export const EXTREMUM_OPS: readonly OpRecord[] = [
  defineOp("aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", {
    infer: ({ self, dim, keepdim }) => extremum("amax", self, dim, keepdim),
  }),
  defineOp("aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", {
    infer: ({ self, dim, keepdim }) => extremum("amin", self, dim, keepdim),
  }),
  defineOp("aten::max(Tensor self) -> Tensor", { decompose: ({ self }, b) => whole(b, "max", self) }),
  defineOp("aten::min(Tensor self) -> Tensor", { decompose: ({ self }, b) => whole(b, "min", self) }),
  defineOp("aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", {
    decompose: ({ self, dim, keepdim }, b) => withIndices(b, "max", self, dim, keepdim),
  }),
  defineOp("aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", {
    decompose: ({ self, dim, keepdim }, b) => withIndices(b, "min", self, dim, keepdim),
  }),
  defineOp("aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", {
    infer: ({ self, dim, keepdim }) => position("argmax", self, dim, keepdim),
  }),
  defineOp("aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", {
    infer: ({ self, dim, keepdim }) => position("argmin", self, dim, keepdim),
  }),
  defineOp("aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)", {
    decompose: ({ self, dim, keepdim }, b) => {
      const args = { self, dim: dim === null ? [] : [dim], keepdim };
      return [b.tensor("aten::amin", args), b.tensor("aten::amax", args)];
    },
  }),
];

function extremum(op: string, self: TensorMeta, dim: readonly number[], keepdim: boolean): TensorMeta {
  const dims = reducedDims(dim, self.shape.length);
  check(!isComplex(self.dtype), () => `${op} not implemented for ${self.dtype}`);
  if (numel(self.shape) === 0) {
    check(
      dim.length > 0,
      () =>
        `${op}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.`,
    );
    for (const d of dims)
      check(self.shape[d] !== 0, () => `${op}(): Expected reduction dim ${d} to have non-zero size.`);
  }
  return { dtype: self.dtype, shape: reducedShape(self.shape, dims, keepdim) };
}

function position(op: string, self: TensorMeta, dim: number | null, keepdim: boolean): TensorMeta {
  check(self.dtype !== "bool" && !isComplex(self.dtype), () => `${op} not implemented for ${self.dtype}`);
  return { ...extremum(op, self, dim === null ? [] : [dim], keepdim), dtype: "int64" };
}

function whole(b: Builder, side: Side, self: TensorMeta): TensorMeta {
  check(
    numel(self.shape) > 0,
    () =>
      `${side}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument. Got ${show(self.shape)}`,
  );
  return b.tensor(`aten::a${side}`, { self, dim: [] });
}

/** Finds the position first; the value is the element there. */
function withIndices(
  b: Builder,
  side: Side,
  self: TensorMeta,
  dim: number,
  keepdim: boolean,
): readonly [TensorMeta, TensorMeta] {
  const e = emit(b);
  const at = wrapDim(dim, self.shape.length);
  check(self.shape[at] !== 0, () => `${side}(): Expected reduction dim ${at} to have non-zero size.`);
  const ordered = self.dtype === "bool" ? e.cast(self, "uint8") : self;
  const index = b.tensor(`aten::arg${side}`, { self: ordered, dim: at, keepdim: true });
  const value = b.tensor("aten::gather", { self, dim: at, index });
  return keepdim || self.shape.length === 0 ? [value, index] : [e.squeeze(value, at), e.squeeze(index, at)];
}
