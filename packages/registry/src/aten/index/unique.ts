import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { numel, wrapDim } from "../support/dims.ts";

type Three = readonly [TensorMeta, TensorMeta, TensorMeta];

/** Defines ops that find distinct values: the number of results depends on data. */
export const UNIQUE_OPS: readonly OpRecord[] = [
  defineOp("aten::_unique(Tensor self, bool sorted=True, bool return_inverse=False) -> (Tensor, Tensor)", {
    infer: ({ self, return_inverse }) => {
      const [values, inverse] = flat(self, return_inverse, false);
      return [values, inverse];
    },
    dynamic: true,
  }),
  defineOp(
    "aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)",
    {
      infer: ({ self, return_inverse, return_counts }) => flat(self, return_inverse, return_counts),
      dynamic: true,
    },
  ),
  defineOp(
    "aten::unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)",
    {
      infer: ({ self, dim }) => along(self, dim),
      dynamic: true,
    },
  ),
  defineOp(
    "aten::unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)",
    {
      infer: ({ self, dim }) => along(self, dim),
      dynamic: true,
    },
  ),
  defineOp(
    "aten::unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)",
    {
      infer: ({ self, dim, return_inverse, return_counts }) =>
        dim === null || (dim === 0 && self.shape.length === 1)
          ? flat(self, return_inverse, return_counts)
          : along(self, dim),
      dynamic: true,
    },
  ),
];

function flat(self: TensorMeta, inverse: boolean, counts: boolean): Three {
  const count = numel(self.shape);
  return [
    { dtype: self.dtype, shape: [count] },
    { dtype: "int64", shape: inverse ? self.shape : [0] },
    { dtype: "int64", shape: [counts ? count : 0] },
  ];
}

/** PyTorch returns the inverse and the counts of slices whether they are asked for or not. */
function along(self: TensorMeta, dim: number): Three {
  const count = self.shape[wrapDim(dim, self.shape.length)]!;
  return [
    { dtype: self.dtype, shape: self.shape },
    { dtype: "int64", shape: [count] },
    { dtype: "int64", shape: [count] },
  ];
}
