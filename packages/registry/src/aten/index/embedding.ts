import { numel } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { promoteTypes } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { countUpTo } from "../support/count-up-to.ts";
import { checkIndex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { requireData } from "../support/require-data.ts";

/** Defines embeddings: rows of a table, each for itself or reduced over bags. */
export const EMBEDDING_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
    {
      infer: ({ weight, indices }) => {
        check(weight.shape.length === 2, () => `'weight' must be 2-D, got ${show(weight.shape)}`);
        checkIndex("embedding", indices);
        return { dtype: weight.dtype, shape: [...indices.shape, weight.shape[1]!] };
      },
      decompose: ({ weight, indices }, b) => {
        const e = emit(b);
        const count = numel(indices.shape);
        const picked = b.tensor("aten::index_select", { self: weight, dim: 0, index: e.reshape(indices, [count]) });
        return e.reshape(picked, [...indices.shape, weight.shape[1]!]);
      },
    },
  ),
  defineOp(
    "aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)",
    {
      requires: { kinds: { weight: "float", indices: "index", offsets: "index" } },
      decompose: (args, b) => embeddingBag(b, { ...args, padding_idx: -1 }),
    },
  ),
  defineOp(
    "aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)",
    {
      requires: { kinds: { weight: "float", indices: "index", offsets: "index" } },
      decompose: (args, b) => embeddingBag(b, { ...args, padding_idx: paddingRow(args.weight, args.padding_idx) }),
    },
  ),
  defineOp(
    "aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
    {
      requires: { kinds: { weight: "float", indices: "index", offsets: "index" } },
      decompose: (args, b) => embeddingBag(b, args),
    },
  ),
  defineOp(
    "aten::_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
    {
      requires: { kinds: { weight: "float", indices: "index", offsets: "index" } },
      decompose: (args, b) => embeddingBag(b, args),
    },
  ),
  defineOp("aten::one_hot(Tensor self, int num_classes=-1) -> Tensor", {
    requires: { ranges: { num_classes: [-1, Number.POSITIVE_INFINITY] } },
    infer: ({ self, num_classes }) => ({ dtype: "int64", shape: [...self.shape, Math.max(0, num_classes)] }),
    dynamic: ({ num_classes }) => num_classes < 0,
    decompose: ({ self, num_classes }, b) => {
      check(self.dtype === "int64", "one_hot is only applicable to index tensor of type LongTensor.");
      check(
        num_classes > 0,
        "one_hot: num_classes must be given, otherwise the size of the result depends on the data",
      );
      const e = emit(b);
      return b.tensor("aten::scatter.value", {
        self: e.full([...self.shape, num_classes], 0, "int64"),
        dim: -1,
        index: e.unsqueeze(self, -1),
        value: 1,
      });
    },
  }),
];

/** Resolves `padding_idx`, where a negative row counts from the end; returns -1 if there is none. */
function paddingRow(weight: TensorMeta, padding: number | null): number {
  if (padding === null) return -1;
  const rows = weight.shape[0]!;
  check(
    padding >= -rows && padding < rows,
    () => `padding_idx must be within the number of embeddings, -${rows} through ${rows - 1}  but got ${padding}`,
  );
  return padding < 0 ? padding + rows : padding;
}

interface Bags {
  readonly weight: TensorMeta;
  readonly indices: TensorMeta;
  readonly offsets: TensorMeta;
  /** 0 is sum, 1 is mean, 2 is max. */
  readonly mode: number;
  readonly per_sample_weights: TensorMeta | null;
  readonly include_last_offset: boolean;
  readonly padding_idx: number;
}

type Bagged = readonly [TensorMeta, TensorMeta, TensorMeta, TensorMeta];

/**
 * Returns the result, the bag of every index, the size of every bag, and (for max) the index of the maximum. The latter
 * three have the dtype that indices and offsets promote to.
 */
function embeddingBag(b: Builder, args: Bags): Bagged {
  const [result, ...others] = bagged(b, args);
  const type = promoteTypes(args.indices.dtype, args.offsets.dtype);
  return [result, ...others.map((x) => emit(b).cast(x, type))] as unknown as Bagged;
}

function bagged(b: Builder, args: Bags): Bagged {
  const { weight, indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx } = args;
  const e = emit(b);
  check(
    indices.shape.length === 1 && offsets.shape.length === 1,
    () => `embedding_bag: indices and offsets must be 1-D, got ${show(indices.shape)} and ${show(offsets.shape)}`,
  );
  check(
    per_sample_weights === null || mode === 0,
    "embedding_bag: per_sample_weights was not None, but mode is not 'sum'",
  );
  checkIndex("embedding_bag", indices);
  check(mode >= 0 && mode <= 2, "`mode` must be sum, mean, or max.");
  const [count, width] = [indices.shape[0]!, weight.shape[1]!];
  const total = offsets.shape[0]! - (include_last_offset ? 1 : 0);
  const starts = e.slice(offsets, 0, 0, total);
  requireOffsets(b, offsets, count);
  // An index belongs to the last bag that starts at or before it.
  const bag = e.sub(countUpTo(b, starts, count), 1);
  const kept = padding_idx < 0 ? null : e.ne(indices, padding_idx);
  const orElse = (x: TensorMeta, padding: Scalar): TensorMeta =>
    kept === null ? x : e.where(e.unsqueeze(kept, 1), x, padding);
  const sizes = b.tensor("aten::scatter_add", {
    self: e.full([total], 0, "int64"),
    dim: 0,
    index: bag,
    src: kept === null ? e.full([count], 1, "int64") : e.cast(kept, "int64"),
  });
  const rows = b.tensor("aten::embedding", { weight, indices });
  const index = e.expand(e.unsqueeze(bag, 1), [count, width]);
  const zeros = e.full([total, width], 0, weight.dtype);
  if (mode === 2) {
    const src = orElse(rows, { float: Number.NEGATIVE_INFINITY });
    const reduced = { self: zeros, dim: 0, index, src, reduce: "amax", include_self: false };
    const largest = b.tensor("aten::scatter_reduce.two", reduced);
    const result = e.where(e.gt(e.unsqueeze(sizes, 1), 0), largest, 0);
    return [result, bag, sizes, winners(b, { result, rows: src, indices, index, total, width })];
  }
  const weighted = per_sample_weights === null ? rows : e.mul(rows, e.unsqueeze(per_sample_weights, 1));
  const sum = b.tensor("aten::scatter_add", { self: zeros, dim: 0, index, src: orElse(weighted, 0) });
  if (mode === 1) return [e.div(sum, e.unsqueeze(e.clampMin(sizes, 1), 1)), bag, sizes, sizes];
  // PyTorch counts nothing for a sum, and finds no bags for a plain one, which it has a kernel for, but not for doubles.
  const none = e.full(offsets.shape, 0, "int64");
  const isPlain = padding_idx < 0 && weight.dtype !== "float64";
  return [sum, isPlain ? e.full([0], 0, "int64") : bag, none, none];
}

/** Checks that the first bag begins with the first index, and that no bag begins behind the last one. */
function requireOffsets(b: Builder, offsets: TensorMeta, count: number): void {
  const [bags] = offsets.shape as readonly [number];
  if (bags === 0) return;
  const e = emit(b);
  requireData(b, e.eq(e.select(offsets, 0, 0), 0), "embedding_bag: offsets[0] has to be 0, the first bag's begin");
  const inside = b.tensor("aten::logical_and", { self: e.ge(offsets, 0), other: e.le(offsets, count) });
  requireData(b, inside, `embedding_bag: offsets must lie in the ${count} indices that there are`);
}

/** Returns, for every bag and column, the largest index whose row holds the maximum. */
function winners(
  b: Builder,
  a: {
    readonly result: TensorMeta;
    readonly rows: TensorMeta;
    readonly indices: TensorMeta;
    readonly index: TensorMeta;
    readonly total: number;
    readonly width: number;
  },
): TensorMeta {
  const e = emit(b);
  const best = b.tensor("aten::gather", { self: a.result, dim: 0, index: a.index });
  const src = e.where(e.eq(a.rows, best), e.unsqueeze(e.cast(a.indices, "int64"), 1), -1);
  const self = e.full([a.total, a.width], 0, "int64");
  return b.tensor("aten::scatter_reduce.two", { self, dim: 0, index: a.index, src, reduce: "amax" });
}
