import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { reducedShape, wrapDim } from "../support/dims.ts";
import { isComplex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

type Sorted = readonly [TensorMeta, TensorMeta];

/**
 * Defines sorting and the largest elements. Equal elements are in the order of PyTorch's CPU kernels, whether or not a
 * sort is stable.
 */
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
    decompose: ({ self, dim, descending }, b) => sort(b, self, dim, { stable: false, descending }),
  }),
  defineOp("aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor", {
    decompose: ({ self, dim, descending }, b) => sort(b, self, dim, { stable: false, descending })[1],
  }),
  defineOp("aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor", {
    decompose: ({ self, dim, stable, descending }, b) => sort(b, self, dim, { stable, descending })[1],
  }),
  defineOp("aten::msort(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => sort(b, self, 0, { stable: false })[0],
  }),
  defineOp(
    "aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)",
    {
      infer: ({ self, k, dim }) => {
        const at = wrapDim(dim, self.shape.length);
        check(self.dtype !== "bool", "topk does not support bool dtypes");
        check(!isComplex(self.dtype), "topk does not support complex dtypes on CPU");
        check(k >= 0 && k <= (self.shape[at] ?? 1), "selected index k out of range");
        return withIndices(
          self.dtype,
          self.shape.map((n, d) => (d === at ? k : n)),
        );
      },
      decompose: ({ self, k, dim, largest }, b) => {
        const e = emit(b);
        const results = sort(b, self, dim, { descending: largest });
        if (self.shape.length === 0) return results;
        return [e.slice(results[0], dim, 0, k), e.slice(results[1], dim, 0, k)];
      },
    },
  ),
  defineOp("aten::kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", {
    infer: ({ self, k, dim, keepdim }) => {
      // PyTorch copies a number, of any dtype.
      const isCopied = self.shape.length === 0;
      check(
        isCopied || (self.dtype !== "bool" && !isComplex(self.dtype)),
        () => `kthvalue not implemented for ${self.dtype}`,
      );
      const at = wrapDim(dim, self.shape.length);
      check(self.shape[at] !== 0, "kthvalue(): Expected reduction dim to have non-zero size.");
      check(k >= 1 && k <= (self.shape[at] ?? 1), "kthvalue(): selected number k out of range for dimension");
      return found(self, at, keepdim);
    },
    decompose: ({ self }, b) => (self.shape.length === 0 ? [self, emit(b).full([], 0, "int64")] : null),
  }),
];

/** Returns values and indices, sorted along `dim`. */
export function sort(
  b: Builder,
  self: TensorMeta,
  dim: number,
  { stable = true, descending = false }: { readonly stable?: boolean; readonly descending?: boolean } = {},
): Sorted {
  return b.call("aten::sort.stable", { self, stable, dim, descending });
}

/** Infers one value and its index for each position outside `dim`. */
export function found({ dtype, shape }: TensorMeta, dim: number, keepdim: boolean): Sorted {
  return withIndices(dtype, reducedShape(shape, shape.length === 0 ? [] : [dim], keepdim));
}

/** Selects the results at one position of `dim`. */
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
