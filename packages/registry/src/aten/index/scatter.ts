import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { numel, wrapDim } from "../support/dims.ts";
import { checkIndex, checkSameDtype, isIntegral } from "../support/dtypes.ts";
import { emit, type Operand } from "../support/emit.ts";
import { checkWithin, fromStart } from "./gather.ts";

/** Defines ops that write elements by position along one dimension. */
export const SCATTER_OPS: readonly OpRecord[] = [
  defineOp("aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", {
    infer: ({ self, dim, index, src }) => scattered("scatter", self, dim, index, src),
  }),
  defineOp("aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", {
    infer: ({ self, dim, index }) => scattered("scatter", self, dim, index, null),
    decompose: ({ self, dim, index, value }, b) =>
      b.tensor("aten::scatter.src", { self, dim, index, src: emit(b).full(index.shape, value, self.dtype) }),
  }),
  defineOp("aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", {
    infer: ({ self, dim, index, src }) => scattered("scatter_add", self, dim, index, src),
    decompose: ({ self, dim, index, src }, b) =>
      b.tensor("aten::scatter_reduce.two", { self, dim, index, src, reduce: "sum" }),
  }),
  defineOp(
    "aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor",
    {
      infer: ({ self, dim, index, src, reduce }) => {
        check(
          ["sum", "prod", "mean", "amax", "amin"].includes(reduce),
          () => `reduce argument must be either sum, prod, mean, amax or amin, got ${reduce}.`,
        );
        return scattered("scatter_reduce", self, dim, index, src);
      },
    },
  ),
  defineOp("aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor", {
    decompose: ({ self, dim, index, src, reduce }, b) => combined(b, { self, dim, index, src }, reduce),
  }),
  defineOp("aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor", {
    decompose: ({ self, dim, index, value, reduce }, b) =>
      combined(b, { self, dim, index, src: emit(b).full(index.shape, value, self.dtype) }, reduce),
  }),
  defineOp("aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", {
    infer: ({ self, dim, index, source }) => rows("index_add", self, dim, index, source),
    decompose: ({ self, dim, index, source, alpha }, b) => {
      const { full, mul } = emit(b);
      // The factor has the dtype of the elements: of integers, its fraction is cut off.
      const factor = (): Operand => (isIntegral(source.dtype) ? full([], alpha, source.dtype) : alpha);
      const src = alpha === 1 ? source : mul(source, factor());
      return b.tensor("aten::scatter_add", { self, dim, index: spread(b, index, dim, source), src });
    },
  }),
  defineOp("aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor", {
    requires: { kinds: { index: "long" } },
    infer: ({ self, dim, index, source }) => rows("index_copy", self, dim, index, source),
    decompose: ({ self, dim, index, source }, b) =>
      b.tensor("aten::scatter.src", { self, dim, index: spread(b, index, dim, source), src: source }),
  }),
  defineOp(
    "aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor",
    {
      infer: ({ self, dim, index, source, reduce }) => {
        check(
          ["prod", "mean", "amax", "amin"].includes(reduce),
          () => `index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got ${reduce}.`,
        );
        return rows("index_reduce", self, dim, index, source);
      },
      decompose: ({ self, dim, index, source, reduce, include_self }, b) =>
        b.tensor("aten::scatter_reduce.two", {
          self,
          dim,
          index: spread(b, index, dim, source),
          src: source,
          reduce,
          include_self,
        }),
    },
  ),
  defineOp("aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", {
    requires: { kinds: { index: "long" }, ranks: { index: [0, 1] }, elements: { value: "self" } },
    decompose: ({ self, dim, index, value }, b) => {
      const at = wrapDim(dim, self.shape.length);
      if (self.shape.length === 0)
        return ofOne(b, self, (x) => b.tensor("aten::index_fill.int_Scalar", { self: x, dim: 0, index, value }));
      const target = self.shape.map((n, d) => (d === at ? numel(index.shape) : n));
      return b.tensor("aten::scatter.value", {
        self,
        dim,
        index: spread(b, fromStart(b, index, self.shape[at] ?? 1), dim, { dtype: self.dtype, shape: target }),
        value,
      });
    },
  }),
  defineOp("aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor", {
    requires: { kinds: { index: "long" }, ranks: { index: [0, 1] } },
    decompose: ({ self, dim, index, value }, b) => {
      check(
        value.shape.length === 0,
        () =>
          `index_fill_ only supports a 0-dimensional value tensor, but got tensor with ${value.shape.length} dimension(s).`,
      );
      const e = emit(b);
      const at = wrapDim(dim, self.shape.length);
      if (self.shape.length === 0) {
        return ofOne(b, self, (x) => b.tensor("aten::index_fill.int_Tensor", { self: x, dim: 0, index, value }));
      }
      const source = e.expand(
        e.cast(value, self.dtype),
        self.shape.map((n, d) => (d === at ? numel(index.shape) : n)),
      );
      return b.tensor("aten::index_copy", { self, dim, index: fromStart(b, index, self.shape[at] ?? 1), source });
    },
  }),
];

function scattered(op: string, self: TensorMeta, dim: number, index: TensorMeta, src: TensorMeta | null): TensorMeta {
  checkIndex(`${op}()`, index);
  checkWithin(op, self, dim, index);
  if (src !== null) {
    checkSameDtype(`${op}(): Expected self.dtype to be equal to src.dtype`, self, src);
    const fits = numel(index.shape) === 0 || index.shape.every((n, d) => n <= (src.shape[d] ?? 1));
    check(
      fits && index.shape.length <= Math.max(src.shape.length, 1),
      () => `Expected index [${index.shape}] to be no larger than src [${src.shape}]`,
    );
  }
  return { dtype: self.dtype, shape: self.shape };
}

function rows(op: string, self: TensorMeta, dim: number, index: TensorMeta, source: TensorMeta): TensorMeta {
  const at = wrapDim(dim, self.shape.length);
  checkIndex(`${op}()`, index);
  check(index.shape.length <= 1, () => `${op}(): Index is supposed to be a vector, but got dim: ${index.shape.length}`);
  checkSameDtype(op, self, source);
  const expected = self.shape.map((n, d) => (d === at ? numel(index.shape) : n));
  check(
    self.shape.length === 0
      ? numel(source.shape) === numel(index.shape)
      : expected.every((n, d) => n === source.shape[d]),
    () =>
      `${op}(): Source/destination tensor must have same slice shapes. Destination slice shape: [${expected}], source: [${source.shape}]`,
  );
  return { dtype: self.dtype, shape: self.shape };
}

/** Computes what becomes of a number, which indices take for a list of one. */
function ofOne(b: Builder, self: TensorMeta, compute: (x: TensorMeta) => TensorMeta): TensorMeta {
  const { reshape } = emit(b);
  return reshape(compute(reshape(self, [1])), []);
}

/** Expands a vector of positions along `dim` over the other dimensions of `like`. */
function spread(b: Builder, index: TensorMeta, dim: number, like: TensorMeta): TensorMeta {
  const e = emit(b);
  const at = wrapDim(dim, like.shape.length);
  const long = e.cast(index, "int64");
  if (like.shape.length === 0) return e.reshape(long, []);
  return e.expand(
    e.reshape(
      long,
      like.shape.map((_, d) => (d === at ? numel(index.shape) : 1)),
    ),
    like.shape,
  );
}

function combined(
  b: Builder,
  args: Readonly<Record<"self" | "index" | "src", TensorMeta>> & { readonly dim: number },
  reduce: string,
): TensorMeta {
  check(
    reduce === "add" || reduce === "multiply",
    () => `reduce argument must be either add or multiply, got ${reduce}.`,
  );
  return b.tensor("aten::scatter_reduce.two", { ...args, reduce: reduce === "add" ? "sum" : "prod" });
}
