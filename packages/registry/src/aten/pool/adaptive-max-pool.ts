import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { numel } from "../support/dims.ts";
import { emit } from "../support/emit.ts";
import { resized, windows } from "./adaptive-pool.ts";
import type { Pooled } from "./max-pool.ts";

/** Defines max pooling to a given size. */
export const ADAPTIVE_MAX_POOL_OPS: readonly OpRecord[] = [
  defineOp("aten::adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)", {
    window: { rank: 1, reduce: "max" },
    decompose: ({ self, output_size }, b) => {
      const e = emit(b);
      const args = { self: e.unsqueeze(self, -2), output_size: [1, ...output_size] };
      const [values, indices] = b.call("aten::adaptive_max_pool2d", args);
      return [e.squeeze(values, -2), e.squeeze(indices, -2)];
    },
  }),
  defineOp("aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)", {
    window: { rank: 2, reduce: "max" },
    infer: ({ self, output_size }) => withIndices(resized("adaptive_max_pool2d", self, output_size, 2)),
    decompose: ({ self, output_size }, b) => maxima(b, self, output_size),
  }),
  defineOp("aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)", {
    window: { rank: 3, reduce: "max" },
    infer: ({ self, output_size }) => withIndices(resized("adaptive_max_pool3d", self, output_size, 3)),
    decompose: ({ self, output_size }, b) => maxima(b, self, output_size),
  }),
];

function withIndices(values: TensorMeta): Pooled {
  return [values, { dtype: "int64", shape: values.shape }];
}

/** Pools from the last dimension to the first; `position` is the flat index over the dimensions that are done. */
function maxima(b: Builder, self: TensorMeta, size: readonly number[]): Pooled | null {
  if (numel(size) === 0) return null;
  const e = emit(b);
  const first = self.shape.length - size.length;
  let values = self;
  let position: TensorMeta | null = null;
  let extent = 1;
  for (let i = size.length - 1; i >= 0; i--) {
    const dim = first + i;
    const parts = windows(self.shape[dim]!, size[i]!).map(([start, end]) => {
      const [value, index] = b.call("aten::max.dim", {
        self: e.slice(values, dim, start, end),
        dim,
        keepdim: true,
      });
      return [value, e.add(index, start)] as const;
    });
    const along: TensorMeta = e.cat(
      parts.map(([, index]) => index),
      dim,
    );
    const within: TensorMeta | null = position && b.tensor("aten::gather", { self: position, dim, index: along });
    position = within === null ? along : e.add(e.mul(along, extent), within);
    values = e.cat(
      parts.map(([value]) => value),
      dim,
    );
    extent *= self.shape[dim]!;
  }
  return [values, position!];
}
