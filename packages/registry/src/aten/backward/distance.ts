import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { numel } from "../support/dims.ts";
import { emit } from "../support/emit.ts";
import { inParts } from "../support/in-parts.ts";

/** Defines the backward ops of distances between all pairs of vectors. */
export const DISTANCE_BACKWARD_OPS: readonly OpRecord[] = [
  defineOp("aten::_cdist_backward(Tensor grad, Tensor x1, Tensor x2, float p, Tensor cdist) -> Tensor", {
    infer: ({ x1: { dtype, shape } }) => ({ dtype, shape }),
    decompose: (args, b) => ofFirst(b, args),
  }),
  defineOp("aten::_pdist_backward(Tensor grad, Tensor self, float p, Tensor pdist) -> Tensor", {
    infer: ({ self: { dtype, shape } }) => ({ dtype, shape }),
    decompose: ({ grad, self, p, pdist }, b) => {
      // Each pair is two distances of all rows to all rows.
      const [rows] = self.shape as readonly [number, number];
      return ofFirst(b, { grad: square(b, grad, rows), x1: self, x2: self, p, cdist: square(b, pdist, rows) });
    },
  }),
];

interface Distances {
  readonly grad: TensorMeta;
  readonly x1: TensorMeta;
  readonly x2: TensorMeta;
  readonly p: number;
  readonly cdist: TensorMeta;
}

/** The gradient of x1: the sum over the rows of x2 of `sign(d) |d|^(p-1) / distance^(p-1)`, where d = x1 - x2. */
function ofFirst(b: Builder, { grad, x1, x2, p, cdist }: Distances): TensorMeta {
  const e = emit(b);
  if (p === 0) return b.tensor("aten::zeros_like", { self: x1 });
  if (p === 2) {
    const ratio = e.where(e.eq(cdist, 0), 0, e.div(grad, cdist));
    const drawn = e.mul(x1, e.sum(ratio, [-1], true));
    return e.sub(drawn, b.tensor("aten::matmul", { self: ratio, other: x2 }));
  }
  const each = numel(cdist.shape.slice(0, -2)) * numel(x2.shape.slice(-2));
  return inParts(b, x1.shape.at(-2)!, each, (part) =>
    ofRows(b, { grad: part(grad), x1: part(x1), x2, p, cdist: part(cdist) }),
  );
}

/** Sums over the pairs of rows, whose elements are all stored. */
function ofRows(b: Builder, { grad, x1, x2, p, cdist }: Distances): TensorMeta {
  const e = emit(b);
  const isZero = e.eq(cdist, 0);
  const difference = e.sub(e.unsqueeze(x1, -2), e.unsqueeze(x2, -3));
  const size = e.abs(difference);
  const sign = b.tensor("aten::sign", { self: difference });
  const [given, distance] = [e.unsqueeze(grad, -1), e.unsqueeze(cdist, -1)];
  const each = e.mul(given, sign);
  if (p === 1) return e.sum(each, [-2]);
  if (p === Number.POSITIVE_INFINITY) return e.sum(e.where(e.eq(size, distance), each, 0), [-2]);
  const power = (self: TensorMeta): TensorMeta =>
    b.tensor("aten::pow.Tensor_Scalar", { self, exponent: { float: p - 1 } });
  const slope = e.mul(each, e.div(power(size), power(distance)));
  // Below 1 the power of an element without difference is infinite.
  const still =
    p < 1
      ? b.tensor("aten::logical_or", { self: e.unsqueeze(isZero, -1), other: e.eq(size, 0) })
      : e.unsqueeze(isZero, -1);
  return e.sum(e.where(still, 0, slope), [-2]);
}

/** Makes a symmetric matrix of the pairs above the diagonal. */
function square(b: Builder, pairs: TensorMeta, rows: number): TensorMeta {
  const e = emit(b);
  const place = b.tensor("aten::triu_indices", { row: rows, col: rows, offset: 1 });
  const [row, column] = [e.select(place, 0, 0), e.select(place, 0, 1)];
  const upper = b.tensor("aten::index_put", {
    self: e.full([rows, rows], 0, pairs.dtype),
    indices: [row, column],
    values: pairs,
  });
  return e.add(upper, e.transpose(upper, 0, 1));
}
