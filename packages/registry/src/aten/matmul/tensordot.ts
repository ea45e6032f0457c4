import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { broadcast, numel, range, wrapDim } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/** Defines products over chosen dimensions, and products of several matrices. */
export const TENSORDOT_OPS: readonly OpRecord[] = [
  defineOp("aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor", {
    decompose: ({ self, other, dims_self, dims_other }, b) => {
      const e = emit(b);
      check(dims_self.length === dims_other.length, "both dimension lists should have same length");
      const [inner, otherInner] = [
        dims_self.map((d) => wrapDim(d, self.shape.length)),
        dims_other.map((d) => wrapDim(d, other.shape.length)),
      ];
      inner.forEach((d, i) => {
        const [n, m] = [self.shape[d]!, other.shape[otherInner[i]!]!];
        check(
          n === m || n === 1 || m === 1,
          () =>
            `contracted dimensions need to match, but first has size ${n} in dim ${d} and second has size ${m} in dim ${otherInner[i]}`,
        );
      });
      // If a contracted dimension has size 1 on one side only, the other side is summed over it first.
      const wider = (
        dims: readonly number[],
        x: TensorMeta,
        y: readonly number[],
        others: readonly number[],
      ): TensorMeta => {
        const sum = dims.filter((d, i) => x.shape[d] !== 1 && y[others[i]!] === 1);
        return sum.length === 0 ? x : e.cast(e.sum(x, sum, true), x.dtype);
      };
      const left = wider(inner, self, other.shape, otherInner);
      const right = wider(otherInner, other, self.shape, inner);
      const rows = range(left.shape.length).filter((d) => !inner.includes(d));
      const columns = range(right.shape.length).filter((d) => !otherInner.includes(d));
      const [n, m] = [rows.map((d) => left.shape[d]!), columns.map((d) => right.shape[d]!)];
      const k = numel(inner.map((d) => left.shape[d]!));
      const product = b.tensor("aten::mm", {
        self: e.reshape(e.permute(left, [...rows, ...inner]), [numel(n), k]),
        mat2: e.reshape(e.permute(right, [...otherInner, ...columns]), [k, numel(m)]),
      });
      return e.reshape(product, [...n, ...m]);
    },
  }),
  defineOp("aten::kron(Tensor self, Tensor other) -> Tensor", {
    decompose: ({ self, other }, b) => {
      const e = emit(b);
      const rank = Math.max(self.shape.length, other.shape.length);
      const pad = (shape: readonly number[]): readonly number[] => [
        ...new Array<number>(rank - shape.length).fill(1),
        ...shape,
      ];
      const [x, y] = [pad(self.shape), pad(other.shape)];
      const product = e.mul(
        e.reshape(
          self,
          x.flatMap((n) => [n, 1]),
        ),
        e.reshape(
          other,
          y.flatMap((n) => [1, n]),
        ),
      );
      return e.reshape(
        product,
        x.map((n, i) => n * y[i]!),
      );
    },
  }),
  defineOp("aten::chain_matmul(Tensor[] matrices) -> Tensor", { decompose: ({ matrices }, b) => chain(b, matrices) }),
  defineOp("aten::linalg_multi_dot(Tensor[] tensors) -> Tensor", {
    decompose: ({ tensors }, b) => {
      check(tensors.length >= 2, "multi_dot(): expected at least 2 tensors");
      const e = emit(b);
      const [first, last] = [tensors[0]!, tensors.at(-1)!];
      const matrices = [...tensors];
      if (first.shape.length === 1) matrices[0] = e.unsqueeze(first, 0);
      if (last.shape.length === 1) matrices[tensors.length - 1] = e.unsqueeze(last, 1);
      const product = chain(b, matrices);
      return e.reshape(product, [
        ...(first.shape.length === 1 ? [] : [product.shape[0]!]),
        ...(last.shape.length === 1 ? [] : [product.shape[1]!]),
      ]);
    },
  }),
  defineOp("aten::matrix_power(Tensor self, int n) -> Tensor", { decompose: ({ self, n }, b) => power(b, self, n) }),
  defineOp("aten::linalg_matrix_power(Tensor self, int n) -> Tensor", {
    decompose: ({ self, n }, b) => power(b, self, n),
  }),
  defineOp("aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor", {
    decompose: ({ x, y, dim }, b) => {
      const e = emit(b);
      return e.sum(e.mul(b.tensor("aten::conj", { self: x }), y), [dim]);
    },
  }),
  defineOp("aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor", {
    requires: { same: ["self", "other"] },
    decompose: ({ self, other, dim }, b) => cross(b, self, other, dim),
  }),
  defineOp("aten::cross(Tensor self, Tensor other, int? dim=None) -> Tensor", {
    requires: { same: ["self", "other"] },
    decompose: ({ self, other, dim }, b) => {
      const first = broadcast(self.shape, other.shape).indexOf(3);
      check(dim !== null || first >= 0, "no dimension of size 3 in input");
      return cross(b, self, other, dim ?? first);
    },
  }),
];

/** Multiplies matrices in the cheapest order, by the textbook dynamic program over where to split. */
function chain(b: Builder, matrices: readonly TensorMeta[]): TensorMeta {
  check(matrices.length > 0, "chain_matmul(): Expected one or more matrices");
  for (const matrix of matrices)
    check(matrix.shape.length === 2, () => `chain_matmul(): expected matrices, got ${show(matrix.shape)}`);
  const sizes = [matrices[0]!.shape[0]!, ...matrices.map((matrix) => matrix.shape[1]!)];
  const memo = new Map<string, { readonly cost: number; readonly split: number }>();
  const plan = (from: number, to: number): { readonly cost: number; readonly split: number } => {
    const key = `${from},${to}`;
    const known = memo.get(key);
    if (known) return known;
    let best = { cost: from === to ? 0 : Number.POSITIVE_INFINITY, split: from };
    for (let split = from; split < to; split++) {
      const cost =
        plan(from, split).cost + plan(split + 1, to).cost + sizes[from]! * sizes[split + 1]! * sizes[to + 1]!;
      if (cost < best.cost) best = { cost, split };
    }
    memo.set(key, best);
    return best;
  };
  const multiply = (from: number, to: number): TensorMeta => {
    if (from === to) return matrices[from]!;
    const { split } = plan(from, to);
    return b.tensor("aten::mm", { self: multiply(from, split), mat2: multiply(split + 1, to) });
  };
  return multiply(0, matrices.length - 1);
}

function power(b: Builder, self: TensorMeta, n: number): TensorMeta {
  const size = self.shape.at(-1)!;
  check(
    self.shape.length >= 2 && self.shape.at(-2) === size,
    () => `linalg.matrix_power: A must be batches of square matrices, got ${show(self.shape)}`,
  );
  if (n === 0) return emit(b).expand(b.tensor("aten::eye", { n: size, dtype: self.dtype }), self.shape);
  const base = n < 0 ? b.tensor("aten::linalg_inv", { A: self }) : self;
  const square = (x: TensorMeta, y: TensorMeta): TensorMeta => b.tensor("aten::matmul", { self: x, other: y });
  const raise = (exponent: number): TensorMeta => {
    if (exponent === 1) return base;
    const half = raise(Math.floor(exponent / 2));
    const even = square(half, half);
    return exponent % 2 === 0 ? even : square(even, base);
  };
  return raise(Math.abs(n));
}

function cross(b: Builder, self: TensorMeta, other: TensorMeta, dim: number): TensorMeta {
  const e = emit(b);
  const shape = broadcast(self.shape, other.shape);
  const at = wrapDim(dim, shape.length);
  check(
    self.shape.length === other.shape.length && self.shape[at] === 3 && other.shape[at] === 3,
    () => `linalg.cross: inputs dimension ${dim} must have length 3, got ${show(self.shape)} and ${show(other.shape)}`,
  );
  const turn = (x: TensorMeta, shift: number): TensorMeta =>
    b.tensor("aten::roll", { self: x, shifts: [shift], dims: [at] });
  const [x, y] = [e.expand(self, shape), e.expand(other, shape)];
  return e.sub(e.mul(turn(x, -1), turn(y, -2)), e.mul(turn(x, -2), turn(y, -1)));
}
