import { numel } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { isMask } from "../../mask.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { broadcast, sameShape } from "../support/dims.ts";
import { checkSameDtype } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { type AdvancedIndex, indexedShape } from "./advanced.ts";

interface Put {
  readonly self: TensorMeta;
  readonly indices: AdvancedIndex;
  readonly values: TensorMeta;
  readonly accumulate: boolean;
}

/** Defines advanced indexing: `x[i, :, j]` and `x[i, :, j] = v`. */
export const INDEX_OPS: readonly OpRecord[] = [
  defineOp("aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", {
    infer: ({ self, indices }) => ({ dtype: self.dtype, shape: indexedShape(self, indices) }),
    dynamic: ({ indices }) => indices.some(isMask),
  }),
  defineOp("aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", {
    decompose: ({ self, indices }, b) => b.tensor("aten::index.Tensor", { self, indices }),
  }),
  defineOp("aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor", {
    infer: ({ self, indices, values }) => {
      checkSameDtype("Index put", self, values);
      const target = indexedShape(self, indices);
      const fits = indices.some(isMask) || sameShape(broadcast(target, values.shape), target);
      check(
        fits,
        () =>
          `shape mismatch: value tensor of shape ${show(values.shape)} cannot be broadcast to indexing result of shape ${show(target)}`,
      );
      return { dtype: self.dtype, shape: self.shape };
    },
    decompose: (args, b) => fillMask(b, args),
  }),
  defineOp("aten::_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor", {
    decompose: (args, b) => put(b, args),
  }),
  defineOp(
    "aten::_index_put_impl(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False, bool unsafe=False) -> Tensor",
    { decompose: (args, b) => put(b, args) },
  ),
  defineOp("aten::_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor", {
    decompose: ({ self, mask, indices, fill }, b) => {
      const read = b.tensor("aten::index.Tensor", { self, indices: within(b, self, indices) });
      return emit(b).where(mask, read, fill);
    },
  }),
  defineOp(
    "aten::_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor",
    {
      decompose: ({ self, mask, indices, values }, b) => {
        const kept = emit(b).where(mask, values, values.dtype === "bool" ? false : 0);
        return put(b, { self, indices: within(b, self, indices), values: kept, accumulate: true });
      },
    },
  ),
  defineOp("aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", {
    requires: { kinds: { index: "long" } },
    decompose: ({ self, index, source, accumulate }, b) => {
      const e = emit(b);
      const flat = e.reshape(self, [numel(self.shape)]);
      const values = e.reshape(source, index.shape);
      return e.reshape(put(b, { self: flat, indices: [index], values, accumulate }), self.shape);
    },
  }),
];

function put(b: Builder, { self, indices, values, accumulate }: Put): TensorMeta {
  return b.tensor("aten::index_put", { self, indices, values, accumulate });
}

/** Computes `x[mask] = number`, which needs no positions, as an elementwise choice. */
function fillMask(b: Builder, { self, indices, values, accumulate }: Put): TensorMeta | null {
  const [mask, ...rest] = indices;
  if (!mask || !isMask(mask) || rest.some((i) => i !== null) || values.shape.some((n) => n !== 1)) return null;
  const e = emit(b);
  const condition = e.reshape(e.cast(mask, "bool"), [
    ...mask.shape,
    ...self.shape.slice(mask.shape.length).map(() => 1),
  ]);
  const value = e.reshape(values, []);
  return e.where(condition, accumulate ? e.add(self, value) : value, self);
}

/** Clamps indices: those of elements that a mask excludes may point anywhere. */
function within(b: Builder, self: TensorMeta, indices: AdvancedIndex): AdvancedIndex {
  return indices.map((index, d) => {
    const limits: Readonly<Record<"min" | "max", Scalar>> = { min: 0, max: self.shape[d]! - 1 };
    return index && b.tensor("aten::clamp", { self: index, ...limits });
  });
}
