import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { broadcast, numel, range } from "../support/dims.ts";
import { checkSameDtype } from "../support/dtypes.ts";
import { type Emit, emit } from "../support/emit.ts";

/** Defines products without an addend: `mm`, `bmm`, `matmul`, `mv`, `dot`, … */
export const MATMUL_OPS: readonly OpRecord[] = [
  defineOp("aten::mm(Tensor self, Tensor mat2) -> Tensor", {
    infer: ({ self, mat2 }) => inferProduct("mm", self, mat2, 2),
    decompose: ({ self, mat2 }, b) => {
      const e = emit(b);
      return e.squeeze(b.tensor("aten::bmm", { self: e.unsqueeze(self, 0), mat2: e.unsqueeze(mat2, 0) }), 0);
    },
  }),
  defineOp("aten::bmm(Tensor self, Tensor mat2) -> Tensor", {
    infer: ({ self, mat2 }) => inferProduct("bmm", self, mat2, 3),
  }),
  defineOp("aten::matmul(Tensor self, Tensor other) -> Tensor", {
    infer: ({ self, other }) => inferMatmul(self, other),
    decompose: ({ self, other }, b) => {
      const mm = (x: TensorMeta, y: TensorMeta): TensorMeta => b.tensor("aten::mm", { self: x, mat2: y });
      const e = emit(b);
      const [rank, otherRank] = [self.shape.length, other.shape.length];
      if (rank === 1 && otherRank === 1) return b.tensor("aten::dot", { self, tensor: other });
      if (rank === 2 && otherRank === 1) return b.tensor("aten::mv", { self, vec: other });
      if (rank === 1 && otherRank === 2) return e.squeeze(mm(e.unsqueeze(self, 0), other), 0);
      if (rank === 2 && otherRank === 2) return mm(self, other);
      return otherRank <= 2
        ? foldBatch(e, mm, self, other)
        : batchProduct(e, self, other, (x, y) => b.tensor("aten::bmm", { self: x, mat2: y }));
    },
  }),
  defineOp("aten::linalg_matmul(Tensor self, Tensor other) -> Tensor", {
    decompose: (args, b) => b.tensor("aten::matmul", args),
  }),
  defineOp("aten::mv(Tensor self, Tensor vec) -> Tensor", {
    decompose: ({ self, vec }, b) => {
      check(
        self.shape.length === 2 && vec.shape.length === 1,
        () => `vector + matrix @ vector expected, got ${vec.shape.length}, ${self.shape.length}`,
      );
      checkInner(self, vec);
      const e = emit(b);
      return e.squeeze(b.tensor("aten::mm", { self, mat2: e.unsqueeze(vec, 1) }), 1);
    },
  }),
  defineOp("aten::dot(Tensor self, Tensor tensor) -> Tensor", {
    decompose: ({ self, tensor }, b) => {
      check(
        self.shape.length === 1 && tensor.shape.length === 1,
        () => `1D tensors expected, but got ${self.shape.length}D and ${tensor.shape.length}D tensors`,
      );
      check(
        self.shape[0] === tensor.shape[0],
        () =>
          `inconsistent tensor size, expected tensor [${self.shape[0]}] and src [${tensor.shape[0]}] to have the same number of elements`,
      );
      const e = emit(b);
      return e.reshape(b.tensor("aten::mm", { self: e.unsqueeze(self, 0), mat2: e.unsqueeze(tensor, 1) }), []);
    },
  }),
  defineOp("aten::vdot(Tensor self, Tensor other) -> Tensor", {
    decompose: ({ self, other }, b) => b.tensor("aten::dot", { self: b.tensor("aten::conj", { self }), tensor: other }),
  }),
  defineOp("aten::outer(Tensor self, Tensor vec2) -> Tensor", { decompose: outer }),
  defineOp("aten::ger(Tensor self, Tensor vec2) -> Tensor", { decompose: outer }),
  defineOp("aten::inner(Tensor self, Tensor other) -> Tensor", {
    decompose: ({ self, other }, b) => {
      if (self.shape.length === 0 || other.shape.length === 0) return emit(b).mul(self, other);
      check(
        self.shape.at(-1) === other.shape.at(-1),
        () =>
          `inner() the last dimension must match on both input tensors but got shapes ${show(self.shape)} and ${show(other.shape)}`,
      );
      return b.tensor("aten::tensordot", { self, other, dims_self: [-1], dims_other: [-1] });
    },
  }),
];

function outer(
  { self, vec2 }: { readonly self: TensorMeta; readonly vec2: TensorMeta },
  b: Parameters<typeof emit>[0],
): TensorMeta {
  check(self.shape.length === 1, () => `outer: Expected 1-D argument self, but got ${self.shape.length}-D`);
  check(vec2.shape.length === 1, () => `outer: Expected 1-D argument vec2, but got ${vec2.shape.length}-D`);
  const e = emit(b);
  return e.mul(e.unsqueeze(self, 1), vec2);
}

/** Infers the result of `matmul`: a vector is a row on the left and a column on the right, and its dimension is dropped. */
export function inferMatmul(self: TensorMeta, other: TensorMeta): TensorMeta {
  const [rank, otherRank] = [self.shape.length, other.shape.length];
  check(
    rank > 0 && otherRank > 0,
    () => `both arguments to matmul need to be at least 1D, but they are ${rank}D and ${otherRank}D`,
  );
  checkSameDtype("matmul", self, other);
  check(self.dtype !== "bool", "matmul not implemented for bool");
  checkInner(self, other);
  const batch = broadcast(self.shape.slice(0, -2), other.shape.slice(0, -2));
  const columns = otherRank === 1 ? [] : other.shape.slice(-1);
  return { dtype: self.dtype, shape: [...batch, ...self.shape.slice(0, -1).slice(-1), ...columns] };
}

/** Infers the result of `mm` (rank 2) and `bmm` (rank 3). */
function inferProduct(op: string, self: TensorMeta, mat2: TensorMeta, rank: number): TensorMeta {
  check(
    self.shape.length === rank && mat2.shape.length === rank,
    () => `${op}: both matrices must be ${rank}-D, got ${show(self.shape)} and ${show(mat2.shape)}`,
  );
  checkSameDtype(op, self, mat2);
  check(self.dtype !== "bool", () => `${op} not implemented for bool`);
  check(
    self.shape.slice(0, -2).every((n, i) => n === mat2.shape[i]),
    () => `${op}: batch sizes differ: ${show(self.shape)} and ${show(mat2.shape)}`,
  );
  checkInner(self, mat2);
  return { dtype: self.dtype, shape: [...self.shape.slice(0, -1), mat2.shape.at(-1)!] };
}

function checkInner(self: TensorMeta, mat2: TensorMeta): void {
  const inner = mat2.shape.at(-2) ?? mat2.shape[0];
  check(
    self.shape.at(-1) === inner,
    () => `mat1 and mat2 shapes cannot be multiplied (${self.shape.join("x")} and ${mat2.shape.join("x")})`,
  );
}

/** Computes `[…, n] @ [n]` or `[…, n] @ [n, m]` as one product: the leading dimensions become its rows. */
function foldBatch(
  e: Emit,
  mm: (x: TensorMeta, y: TensorMeta) => TensorMeta,
  self: TensorMeta,
  other: TensorMeta,
): TensorMeta {
  checkInner(self, other);
  const lead = self.shape.slice(0, -1);
  const rows = e.reshape(self, [numel(lead), self.shape.at(-1)!]);
  const matrix = other.shape.length === 1 ? e.unsqueeze(other, 1) : other;
  return e.reshape(mm(rows, matrix), other.shape.length === 1 ? lead : [...lead, other.shape[1]!]);
}

/** Computes both sides as stacks of matrices over the broadcast batch. */
function batchProduct(
  e: Emit,
  self: TensorMeta,
  other: TensorMeta,
  bmm: (x: TensorMeta, y: TensorMeta) => TensorMeta,
): TensorMeta {
  const left = self.shape.length === 1 ? e.unsqueeze(self, 0) : self;
  const right = other;
  checkInner(left, right);
  const batch = broadcast(left.shape.slice(0, -2), right.shape.slice(0, -2));
  const stack = (x: TensorMeta): TensorMeta => {
    const matrix = x.shape.slice(-2);
    return e.reshape(e.expand(x, [...batch, ...matrix]), [numel(batch), ...matrix]);
  };
  const result = e.reshape(bmm(stack(left), stack(right)), [...batch, left.shape.at(-2)!, right.shape.at(-1)!]);
  return self.shape.length === 1 ? e.squeeze(result, range(result.shape.length).at(-2)!) : result;
}
