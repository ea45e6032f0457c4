import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { wrapDim } from "../support/dims.ts";
import { isComplex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

type Sorted = readonly [TensorMeta, TensorMeta];

/** Sorting and the largest elements. Every sort is stable here. */
export const SORT_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
    {
      infer: ({ self, dim }) => {
        wrapDim(dim, self.shape.length);
        check(!isComplex(self.dtype), "Sort does not support complex dtypes on CPU");
        return withIndices(self.dtype, self.shape);
      },
    },
  ),
  defineOp("aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", {
    decompose: ({ self, dim, descending }, b) => sort(b, self, dim, descending),
  }),
  defineOp("aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor", {
    decompose: ({ self, dim, descending }, b) => sort(b, self, dim, descending)[1],
  }),
  defineOp("aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor", {
    decompose: ({ self, dim, descending }, b) => sort(b, self, dim, descending)[1],
  }),
  defineOp("aten::msort(Tensor self) -> Tensor", { decompose: ({ self }, b) => sort(b, self, 0, false)[0] }),
  defineOp(
    "aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)",
    {
      infer: ({ self, k, dim }) => {
        const at = wrapDim(dim, self.shape.length);
        check(self.dtype !== "bool", "topk does not support bool dtypes");
        check(k >= 0 && k <= (self.shape[at] ?? 1), "selected index k out of range");
        return withIndices(
          self.dtype,
          self.shape.map((n, d) => (d === at ? k : n)),
        );
      },
      decompose: ({ self, k, dim, largest }, b) => {
        const e = emit(b);
        const results = sort(b, self, dim, largest);
        if (self.shape.length === 0) return results;
        return [e.slice(results[0], dim, 0, k), e.slice(results[1], dim, 0, k)];
      },
    },
  ),
  defineOp("aten::kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", {
    decompose: ({ self, k, dim, keepdim }, b) => {
      const at = wrapDim(dim, self.shape.length);
      check(k >= 1 && k <= (self.shape[at] ?? 1), "kthvalue(): selected number k out of range for dimension");
      return pick(b, sort(b, self, dim, false), at, k - 1, keepdim);
    },
  }),
];

/** Values and indices in order along `dim`. */
export function sort(b: Builder, self: TensorMeta, dim: number, descending: boolean): Sorted {
  return b.call("aten::sort.stable", { self, stable: true, dim, descending }) as unknown as Sorted;
}

/** The results at one place of `dim`. */
export function pick(b: Builder, sorted: Sorted, dim: number, place: number, keepdim: boolean): Sorted {
  const e = emit(b);
  if (sorted[0].shape.length === 0) return sorted;
  const at = (x: TensorMeta): TensorMeta => (keepdim ? e.slice(x, dim, place, place + 1) : e.select(x, dim, place));
  return [at(sorted[0]), at(sorted[1])];
}

function withIndices(dtype: TensorMeta["dtype"], shape: readonly number[]): Sorted {
  return [
    { dtype, shape },
    { dtype: "int64", shape },
  ];
}
