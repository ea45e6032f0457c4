import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { countUpTo } from "../support/count-up-to.ts";
import { numel, wrapDim } from "../support/dims.ts";
import { checkIndex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { requireData } from "../support/require-data.ts";

/** Defines ops that repeat each element a given number of times. */
export const REPEAT_INTERLEAVE_OPS: readonly OpRecord[] = [
  defineOp("aten::repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor", {
    infer: ({ repeats, output_size }) => {
      check(
        repeats.shape.length === 1,
        () => `repeat_interleave only accept 1D vector as repeat, got ${show(repeats.shape)}`,
      );
      checkIndex("repeat_interleave", repeats);
      return { dtype: repeats.dtype, shape: [output_size ?? 0] };
    },
    decompose: ({ repeats, output_size }, b) =>
      output_size === null ? null : repeatedPositions(b, repeats, output_size),
    dynamic: ({ output_size }) => output_size === null,
  }),
  defineOp(
    "aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor",
    {
      infer: ({ self, repeats, dim, output_size }) => {
        checkIndex("repeat_interleave", repeats);
        const shape = dim === null ? [numel(self.shape)] : self.shape;
        const at = dim === null ? 0 : wrapDim(dim, self.shape.length);
        check(
          repeats.shape.length <= 1 && [1, shape[at]].includes(numel(repeats.shape)),
          () => `repeats must have the same size as input along dim, got ${show(repeats.shape)} for size ${shape[at]}`,
        );
        const size = output_size ?? (numel(repeats.shape) === 1 ? 0 : shape[at]!);
        return { dtype: self.dtype, shape: shape.map((n, d) => (d === at ? size : n)) };
      },
      decompose: ({ self, repeats, dim, output_size }, b) => {
        if (output_size === null) return null;
        const e = emit(b);
        const input = dim === null ? e.reshape(self, [numel(self.shape)]) : self;
        const at = dim === null ? 0 : wrapDim(dim, self.shape.length);
        const counts = numel(repeats.shape) === 1 ? e.expand(e.reshape(repeats, [1]), [input.shape[at]!]) : repeats;
        const index = b.tensor("aten::repeat_interleave.Tensor", { repeats: counts, output_size });
        return b.tensor("aten::index_select", { self: input, dim: at, index });
      },
      dynamic: ({ output_size }) => output_size === null,
    },
  ),
];

/** Position p belongs to the first element whose repetitions end after p. */
function repeatedPositions(b: Builder, repeats: TensorMeta, size: number): TensorMeta {
  const e = emit(b);
  requireData(b, e.ge(repeats, 0), "repeats can not be negative");
  const total = b.tensor("aten::sum", { self: repeats, dtype: "int64" });
  requireData(b, e.eq(total, size), `allocated size ${size} does not match required size: the sum of the repeats`);
  const ends = b.tensor("aten::cumsum", { self: repeats, dim: 0, dtype: "int64" });
  return e.cast(countUpTo(b, ends, size), repeats.dtype);
}
