import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { emit } from "../support/emit.ts";

type Mode = "reflect" | "replicate" | "circular";

/** Defines padding. The pairs of `padding` count from the last dimension. */
export const PAD_OPS: readonly OpRecord[] = [
  defineOp("aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor", {
    infer: ({ self, pad }) => croppedMeta(self, pad),
    decompose: ({ self, pad, value }, b) => constantPad(self, pad, value, b),
  }),
  defineOp('aten::pad(Tensor self, SymInt[] pad, str mode="constant", float? value=None) -> Tensor', {
    decompose({ self, pad, mode, value }, b) {
      if (mode === "constant") return b.tensor("aten::constant_pad_nd", { self, pad, value: { float: value ?? 0 } });
      check(mode === "reflect" || mode === "replicate" || mode === "circular", `Unrecognized padding mode ${mode}`);
      return gatherPad(self, pad, mode, b);
    },
  }),
  defineOp("aten::_pad_circular(Tensor self, SymInt[] pad) -> Tensor", {
    decompose: ({ self, pad }, b) => gatherPad(self, pad, "circular", b),
  }),
  ...[1, 2, 3].flatMap((n) =>
    (["reflect", "replicate"] as const).map((mode) => {
      const op = `${mode === "reflect" ? "reflection" : "replication"}_pad${n}d`;
      return defineOp(`aten::${op}(Tensor self, SymInt[${n * 2}] padding) -> Tensor`, {
        requires: { ranks: { self: [n + 1, n + 2] } },
        infer: ({ self, padding }) => paddedMeta(self, padding),
        decompose: ({ self, padding }, b) => gatherPad(self, padding, mode, b),
      });
    }),
  ),
];

function pairs(pad: readonly number[], rank: number): readonly { dim: number; before: number; after: number }[] {
  check(pad.length % 2 === 0, () => `Length of pad must be even but instead it equals ${pad.length}`);
  check(
    pad.length <= rank * 2,
    () => `Length of pad should be no more than twice the number of dimensions of the input.`,
  );
  return Array.from({ length: pad.length / 2 }, (_, i) => ({
    dim: rank - 1 - i,
    before: pad[2 * i]!,
    after: pad[2 * i + 1]!,
  }));
}

function paddedMeta({ dtype, shape }: TensorMeta, pad: readonly number[]): TensorMeta {
  const result = [...shape];
  for (const { dim, before, after } of pairs(pad, shape.length)) {
    result[dim] = shape[dim]! + before + after;
    check(
      result[dim] >= 0,
      () =>
        `The input size ${shape[dim]}, plus negative padding ${before} and ${after}, resulted in a negative output size in ${show(shape)}`,
    );
  }
  return { dtype, shape: result };
}

/** Infers the result of padding that crops first, where a number is negative, and adds then. */
function croppedMeta(self: TensorMeta, pad: readonly number[]): TensorMeta {
  for (const { dim, before, after } of pairs(pad, self.shape.length)) {
    const rest = self.shape[dim]! + Math.min(0, before) + Math.min(0, after);
    check(rest >= 0, "narrow(): length must be non-negative.");
  }
  return paddedMeta(self, pad);
}

function constantPad(self: TensorMeta, pad: readonly number[], value: Scalar, b: Builder): TensorMeta {
  const { cat, full, slice } = emit(b);
  croppedMeta(self, pad);
  return pairs(pad, self.shape.length).reduce((tensor, { dim, before, after }) => {
    const size = tensor.shape[dim]!;
    const inner =
      before < 0 || after < 0 ? slice(tensor, dim, Math.max(0, -before), size + Math.min(0, after)) : tensor;
    const piece = (count: number): readonly TensorMeta[] =>
      count > 0
        ? [
            full(
              inner.shape.map((n, d) => (d === dim ? count : n)),
              value,
              self.dtype,
            ),
          ]
        : [];
    return cat([...piece(before), inner, ...piece(after)], dim);
  }, self);
}

/** Gathers the elements of each padded dimension by an index that depends on the mode. */
function gatherPad(self: TensorMeta, pad: readonly number[], mode: Mode, b: Builder): TensorMeta {
  return pairs(pad, self.shape.length).reduce((tensor, { dim, before, after }) => {
    if (before === 0 && after === 0) return tensor;
    if (mode === "circular" && (before < 0 || after < 0)) return wrapCut(tensor, dim, before, after, b);
    const size = tensor.shape[dim]!;
    const limit = mode === "reflect" ? size - 1 : mode === "circular" ? size : Number.POSITIVE_INFINITY;
    check(
      before <= limit && after <= limit,
      () =>
        `Padding size should be less than the corresponding input dimension, but got: padding (${before}, ${after}) at dimension ${dim} of input ${show(self.shape)}`,
    );
    const index = sourceIndex(size, before, size + before + after, mode, b);
    return b.tensor("aten::index_select", { self: tensor, dim, index });
  }, self);
}

/** Elements that a negative padding cuts off are not repeated on the other side. */
function wrapCut(tensor: TensorMeta, dim: number, before: number, after: number, b: Builder): TensorMeta {
  const cut = emit(b).slice(tensor, dim, Math.max(0, -before), tensor.shape[dim]! + Math.min(0, after));
  const pad = new Array<number>(2 * (tensor.shape.length - dim)).fill(0);
  pad.splice(-2, 2, Math.max(0, before), Math.max(0, after));
  return gatherPad(cut, pad, "circular", b);
}

function sourceIndex(size: number, before: number, count: number, mode: Mode, b: Builder): TensorMeta {
  const { abs, arange, sub } = emit(b);
  const position = sub(arange(count, "int64"), before);
  if (mode === "replicate") return b.tensor("aten::clamp", { self: position, min: 0, max: size - 1 });
  if (mode === "circular") return b.tensor("aten::remainder.Scalar", { self: position, other: size });
  return sub(size - 1, abs(sub(size - 1, abs(position))));
}
