import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { type Emit, emit } from "../support/emit.ts";

/** Returns which element each position of a padded line shows, for positions from the first element on. */
type Shown = (e: Emit, position: TensorMeta, size: number) => TensorMeta;

/** What lies outside shows the element at the border. */
const replicated: Shown = (e, position, size) => e.minimum(e.clampMin(position, 0), e.full([], size - 1, "int64"));

/** What lies outside shows the element as far on the other side of the border: |p|, and the same from the last one on. */
const reflected: Shown = (e, position, size) => e.sub(size - 1, e.abs(e.sub(size - 1, e.abs(position))));

/** Defines the gradients of padding by elements: each gets those of all positions that show it. */
export const PAD_BACKWARD_OPS: readonly OpRecord[] = ([1, 2, 3] as const).flatMap((rank) =>
  (
    [
      ["replication", replicated],
      ["reflection", reflected],
    ] as const
  ).map(([mode, shown]) =>
    defineOp(
      `aten::${mode}_pad${rank}d_backward(Tensor grad_output, Tensor self, SymInt[${2 * rank}] padding) -> Tensor`,
      {
        decompose: ({ grad_output, self, padding }, b) =>
          unpadded(b, grad_output as TensorMeta, self as TensorMeta, padding as readonly number[], shown),
      },
    ),
  ),
);

/** Goes one dimension after another, the last of which comes first in `padding`. */
function unpadded(
  b: Builder,
  grad_output: TensorMeta,
  self: TensorMeta,
  padding: readonly number[],
  shown: Shown,
): TensorMeta {
  const e = emit(b);
  let grad = grad_output;
  for (let i = 0; 2 * i < padding.length; i++) {
    const dim = grad.shape.length - 1 - i;
    const size = self.shape[dim]!;
    const index = shown(e, e.sub(e.arange(grad.shape[dim]!, "int64"), padding[2 * i]!), size);
    const shape = grad.shape.map((n, d) => (d === dim ? size : n));
    grad = b.tensor("aten::index_add", { self: e.full(shape, 0, grad.dtype), dim, index, source: grad });
  }
  return grad;
}
