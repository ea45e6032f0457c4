import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { broadcast, numel } from "../support/dims.ts";
import { checkFloating, checkSameDtype } from "../support/dtypes.ts";
import { type Emit, emit } from "../support/emit.ts";
import { inParts } from "../support/in-parts.ts";

/** The number of rows from which `cdist` uses a matrix product, PyTorch's default. */
const MANY_ROWS = 25;

/** Defines distances between vectors. */
export const DISTANCE_OPS: readonly OpRecord[] = [
  defineOp("aten::cdist(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor", {
    decompose: ({ x1, x2, p, compute_mode }, b) => pairs(b, x1, x2, p, compute_mode),
  }),
  defineOp("aten::_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor", {
    decompose: ({ x1, x2, p, compute_mode }, b) => pairs(b, x1, x2, p, compute_mode),
  }),
  defineOp("aten::_euclidean_dist(Tensor x1, Tensor x2) -> Tensor", {
    decompose: ({ x1, x2 }, b) => euclidean(emit(b), b, x1, x2),
  }),
  defineOp(
    "aten::pairwise_distance(Tensor x1, Tensor x2, float p=2., float eps=9.9999999999999995e-07, bool keepdim=False) -> Tensor",
    {
      decompose: ({ x1, x2, p, eps, keepdim }, b) => {
        const e = emit(b);
        return norm(b, e.add(e.sub(x1, x2), { float: eps }), p, keepdim);
      },
    },
  ),
  defineOp("aten::pdist(Tensor self, float p=2.) -> Tensor", {
    decompose: ({ self, p }, b) => b.tensor("aten::_pdist_forward", { self, p }),
  }),
  defineOp("aten::_pdist_forward(Tensor self, float p=2.) -> Tensor", {
    infer: ({ self }) => {
      check(self.shape.length === 2, () => `_pdist_forward only supports 2D tensors, got: ${self.shape.length}D`);
      return { dtype: self.dtype, shape: [pairCount(self.shape[0]!)] };
    },
    decompose: ({ self, p }, b) => {
      const [rows, features] = self.shape as readonly [number, number];
      const count = pairCount(rows);
      const e = emit(b);
      if (count === 0 || features === 0) return e.full([count], 0, self.dtype);
      // Distances of all rows to all rows take less time than rows that are gathered for each pair.
      const square = differences(b, self, self, p);
      const place = b.tensor("aten::triu_indices", { row: rows, col: rows, offset: 1 });
      const index = e.add(e.mul(e.select(place, 0, 0), rows), e.select(place, 0, 1));
      return b.tensor("aten::index_select", { self: e.reshape(square, [rows * rows]), dim: 0, index });
    },
  }),
  defineOp("aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor", {
    decompose: ({ self, other, p }, b) =>
      b.tensor("aten::linalg_vector_norm", { self: emit(b).sub(self, other), ord: p }),
  }),
  defineOp("aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", {
    requires: { kinds: { x1: "real", x2: "real" }, ranges: { eps: [0, Number.POSITIVE_INFINITY] } },
    decompose: ({ x1, x2, dim, eps }, b) => {
      const e = emit(b);
      const shape = broadcast(x1.shape, x2.shape);
      const [x, y] = [e.expand(x1, shape), e.expand(x2, shape)];
      checkFloating("cosine_similarity", x);
      const unit = (v: TensorMeta): TensorMeta => {
        const length = b.tensor("aten::linalg_vector_norm", { self: v, ord: 2, dim: [dim], keepdim: true });
        return e.div(v, e.clampMin(length, { float: eps }));
      };
      return e.sum(e.mul(unit(x), unit(y)), [dim]);
    },
  }),
];

function pairCount(rows: number): number {
  return (rows * (rows - 1)) / 2;
}

function norm(b: Builder, self: TensorMeta, p: number, keepdim: boolean): TensorMeta {
  return b.tensor("aten::linalg_vector_norm", { self, ord: { float: p }, dim: [-1], keepdim });
}

/** Computes the distance of every row of x1 to every row of x2. */
function pairs(b: Builder, x1: TensorMeta, x2: TensorMeta, p: number, mode: number | null): TensorMeta {
  check(
    x1.shape.length >= 2 && x2.shape.length >= 2,
    () => `cdist only supports at least 2D tensors, got ${show(x1.shape)} and ${show(x2.shape)}`,
  );
  check(
    x1.shape.at(-1) === x2.shape.at(-1),
    () => `X1 and X2 must have the same number of columns. X1: ${x1.shape.at(-1)} X2: ${x2.shape.at(-1)}`,
  );
  check(p >= 0, "cdist only supports non-negative p values");
  checkFloating("cdist", x1);
  checkSameDtype("cdist", x1, x2);
  const e = emit(b);
  const [rows, columns] = [x1.shape.at(-2)!, x2.shape.at(-2)!];
  const useProduct = mode === 1 || ((mode ?? 0) === 0 && (rows > MANY_ROWS || columns > MANY_ROWS));
  if (p === 2 && useProduct) return euclidean(e, b, x1, x2);
  return differences(b, x1, x2, p);
}

/** Computes the norms of the differences of every row of x1 and every row of x2. */
function differences(b: Builder, x1: TensorMeta, x2: TensorMeta, p: number): TensorMeta {
  const e = emit(b);
  const batch = broadcast(x1.shape.slice(0, -2), x2.shape.slice(0, -2));
  const others = e.unsqueeze(x2, -3);
  return inParts(b, x1.shape.at(-2)!, numel(batch) * numel(x2.shape.slice(-2)), (part) =>
    length(b, e.sub(e.unsqueeze(part(x1), -2), others), p),
  );
}

/** Computes the norm of each difference: 0 of no features, and NaN of any NaN also where what differs is counted. */
function length(b: Builder, difference: TensorMeta, p: number): TensorMeta {
  const e = emit(b);
  if (difference.shape.at(-1) === 0) return e.sum(difference, [-1]);
  if (p > 0) return norm(b, difference, p, false);
  const counted = b.tensor("aten::clamp_max", { self: b.tensor("aten::ceil", { self: e.abs(difference) }), max: 1 });
  return e.sum(counted, [-1]);
}

/** Computes `sqrt(|x|² - 2xy + |y|²)`. */
function euclidean(e: Emit, b: Builder, x1: TensorMeta, x2: TensorMeta): TensorMeta {
  const square = (x: TensorMeta): TensorMeta => e.sum(e.mul(x, x), [-1], true);
  const product = b.tensor("aten::matmul", { self: x1, other: e.transpose(x2, -2, -1) });
  const squared = e.sub(e.add(square(x1), e.transpose(square(x2), -2, -1)), e.mul(product, 2));
  return e.sqrt(e.clampMin(squared, 0));
}
