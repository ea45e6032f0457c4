import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { checkSameDtype, isFloat } from "../support/dtypes.ts";
import { type Emit, emit } from "../support/emit.ts";

/** Defines grouped matrix products, as mixtures of experts use: each group of rows or columns has its own matrix. */
export const GROUPED_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::_grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None) -> Tensor",
    {
      infer({ self, mat2, offs, bias, out_dtype }) {
        check(isFloat(self.dtype), () => `_grouped_mm: expected floating point matrices, got ${self.dtype}`);
        check(out_dtype === null || out_dtype === self.dtype, "Grouped gemm output dtype must match `mat_a` dtype");
        check(bias === null, "Bias not supported yet");
        checkSameDtype("_grouped_mm", self, mat2);
        checkGroups(self, mat2, offs);
        const groups = self.shape.length !== mat2.shape.length ? [] : [(offs ?? self).shape[0]!];
        return { dtype: self.dtype, shape: [...groups, self.shape.at(-2)!, mat2.shape.at(-1)!] };
      },
      decompose({ self, mat2, offs }, b) {
        const e = emit(b);
        const bmm = (x: TensorMeta, y: TensorMeta): TensorMeta => b.tensor("aten::bmm", { self: x, mat2: y });
        if (offs === null) return bmm(self, mat2);
        if (self.shape.length === 2 && mat2.shape.length === 2) {
          const inside = membership(e, offs, mat2.shape[0]!);
          return bmm(e.where(e.unsqueeze(inside, 1), self, 0), e.where(e.unsqueeze(inside, 2), mat2, 0));
        }
        // Multiplies every group with all positions; each position then keeps the result of its own group.
        const rows = self.shape.length === 2;
        const inside = e.unsqueeze(membership(e, offs, rows ? self.shape[0]! : mat2.shape[1]!), rows ? 2 : 1);
        const every = bmm(stacked(e, self, offs), stacked(e, mat2, offs));
        return e.cast(e.sum(e.where(inside, every, 0), [0]), self.dtype);
      },
    },
  ),
];

/** Repeats a matrix once for each group; returns a stack of matrices as it is. */
function stacked(e: Emit, x: TensorMeta, offs: TensorMeta): TensorMeta {
  return x.shape.length === 3 ? x : e.expand(x, [offs.shape[0]!, ...x.shape]);
}

/**
 * Returns `[groups, size]`: whether a position is in the group, which ends before its offset, where the next one
 * starts.
 */
function membership(e: Emit, offs: TensorMeta, size: number): TensorMeta {
  const first = e.full([1], 0, offs.dtype);
  const starts = e.cat([first, e.slice(offs, 0, 0, offs.shape[0]! - 1)], 0);
  const positions = e.arange(size, offs.dtype);
  return e.where(e.lt(positions, e.unsqueeze(offs, 1)), e.ge(positions, e.unsqueeze(starts, 1)), false);
}

function checkGroups(self: TensorMeta, mat2: TensorMeta, offs: TensorMeta | null): void {
  const ranks = [self.shape.length, mat2.shape.length];
  check(
    ranks.every((rank) => rank === 2 || rank === 3),
    () => `_grouped_mm: expected operands of 2 or 3 dimensions, got ${ranks.join(" and ")}`,
  );
  check(
    (offs === null) === ranks.every((rank) => rank === 3),
    "Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d",
  );
  check(
    self.shape.at(-1) === mat2.shape.at(-2),
    () => `contraction dimension of mat_a and mat_b must match, got ${show(self.shape)} and ${show(mat2.shape)}`,
  );
  const groups = [self, mat2].filter(({ shape }) => shape.length === 3).map(({ shape }) => shape[0]!);
  if (offs !== null) {
    check(offs.dtype === "int32", () => `Offsets have to be int32, got ${offs.dtype}`);
    check(offs.shape.length === 1 && offs.shape[0]! > 0, () => `offsets have to be 1D, got ${show(offs.shape)}`);
    groups.push(offs.shape[0]!);
  }
  check(new Set(groups).size === 1, () => `matrix batch sizes have to match, got ${groups.join(" and ")}`);
}
