import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { emit } from "../support/emit.ts";

type Border = "reflect" | "replicate" | "circular";

/** Padding that takes its values from the tensor itself: a read at computed positions, one dimension at a time. */
export const BORDER_PAD_OPS: readonly OpRecord[] = [
  defineOp("aten::reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor", {
    decompose: ({ self, padding }, b) => border(b, self, padding, "reflect"),
  }),
  defineOp("aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor", {
    decompose: ({ self, padding }, b) => border(b, self, padding, "reflect"),
  }),
  defineOp("aten::reflection_pad3d(Tensor self, SymInt[6] padding) -> Tensor", {
    decompose: ({ self, padding }, b) => border(b, self, padding, "reflect"),
  }),
  defineOp("aten::replication_pad1d(Tensor self, SymInt[2] padding) -> Tensor", {
    decompose: ({ self, padding }, b) => border(b, self, padding, "replicate"),
  }),
  defineOp("aten::replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor", {
    decompose: ({ self, padding }, b) => border(b, self, padding, "replicate"),
  }),
  defineOp("aten::replication_pad3d(Tensor self, SymInt[6] padding) -> Tensor", {
    decompose: ({ self, padding }, b) => border(b, self, padding, "replicate"),
  }),
  defineOp("aten::_pad_circular(Tensor self, SymInt[] pad) -> Tensor", {
    decompose: ({ self, pad }, b) => border(b, self, pad, "circular"),
  }),
];

/** `padding` lists pairs from the last dimension backwards. */
function border(b: Builder, self: TensorMeta, padding: readonly number[], kind: Border): TensorMeta {
  const spatial = padding.length / 2;
  const rank = self.shape.length;
  check(
    Number.isInteger(spatial) && (rank === spatial + 1 || rank === spatial + 2),
    () =>
      `Expected ${spatial + 1}D or ${spatial + 2}D (batch mode) tensor for input to a padding of ${padding.length} sizes, but got: ${show(self.shape)}`,
  );
  let result = self;
  for (let i = 0; i < spatial; i++)
    result = padDim(b, result, rank - 1 - i, [padding[2 * i]!, padding[2 * i + 1]!], kind);
  return result;
}

function padDim(
  b: Builder,
  x: TensorMeta,
  dim: number,
  [left, right]: readonly [number, number],
  kind: Border,
): TensorMeta {
  const size = x.shape[dim]!;
  const total = size + left + right;
  if (left === 0 && right === 0) return x;
  const limit = kind === "reflect" ? size - 1 : kind === "circular" ? size : Number.POSITIVE_INFINITY;
  check(
    left <= limit && right <= limit,
    () =>
      `Padding size should be ${kind === "reflect" ? "less than" : "at most"} the corresponding input dimension, but got: padding (${left}, ${right}) at dimension ${dim} of input ${show(x.shape)}`,
  );
  check(total > 0, () => `input size ${show(x.shape)} is too small: it becomes ${total} at dimension ${dim}`);
  const e = emit(b);
  const steps = e.sub(e.arange(total, "int64"), left);
  return b.tensor("aten::index_select", { self: x, dim, index: position(b, steps, size, kind) });
}

function position(b: Builder, steps: TensorMeta, size: number, kind: Border): TensorMeta {
  const e = emit(b);
  if (kind === "circular") return b.tensor("aten::remainder.Scalar", { self: steps, other: size });
  if (kind === "replicate") return b.tensor("aten::clamp", { self: steps, min: 0, max: size - 1 });
  // size - 1 - |size - 1 - |i||
  return e.sub(size - 1, e.abs(e.sub(size - 1, e.abs(steps))));
}
