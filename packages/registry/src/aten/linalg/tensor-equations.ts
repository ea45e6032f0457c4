import { defineOp, type OpRecord } from "../../op.ts";
import { check } from "../support/check.ts";
import { numel, range, wrapDim } from "../support/dims.ts";
import { isIntegral } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Defines equations between tensors as equations between matrices. */
export const TENSOR_EQUATION_OPS: readonly OpRecord[] = [
  defineOp("aten::linalg_tensorinv(Tensor self, int ind=2) -> Tensor", {
    decompose({ self, ind }, b) {
      const e = emit(b);
      const [left, right] = [self.shape.slice(0, ind), self.shape.slice(ind)];
      check(ind > 0, "Expected a strictly positive integer for 'ind'");
      const inverse = b.tensor("aten::linalg_inv", { A: e.reshape(self, [numel(left), numel(right)]) });
      return e.reshape(inverse, [...right, ...left]);
    },
  }),
  defineOp("aten::linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor", {
    decompose({ self, other, dims }, b) {
      const e = emit(b);
      const rank = self.shape.length;
      const last = (dims ?? []).map((d) => wrapDim(d, rank));
      const moved = e.permute(self, [...range(rank).filter((d) => !last.includes(d)), ...last]);
      const shape = moved.shape.slice(other.shape.length);
      const A = e.reshape(moved, [numel(other.shape), numel(shape)]);
      const X = b.tensor("aten::linalg_solve", { A, B: e.reshape(other, [numel(other.shape)]) });
      return e.reshape(X, shape);
    },
  }),
  defineOp("aten::linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor", {
    decompose({ x, N }, b) {
      const e = emit(b);
      const dtype = isIntegral(x.dtype) ? "int64" : x.dtype;
      const points = x.shape.length === 0 ? [1] : x.shape;
      const columns = N ?? points.at(-1)!;
      check(columns > 1, `N must be greater than 1, got ${columns}`);
      const repeated = e.expand(e.unsqueeze(e.reshape(e.cast(x, dtype), points), -1), [...points, columns - 1]);
      const powers = b.tensor("aten::cumprod", { self: repeated, dim: -1 });
      return e.cat([e.full([...points, 1], 1, dtype), powers], points.length);
    },
  }),
];
