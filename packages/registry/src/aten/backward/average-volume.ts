import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { windowOf } from "../pool/window.ts";
import { emit } from "../support/emit.ts";

/** How the outputs of an average lie over one dimension: output `o` averages `[start(o), end(o))`. */
interface Line {
  readonly size: number;
  readonly outputs: number;
  readonly windows: readonly { readonly start: number; readonly end: number; readonly divisor: number }[];
}

/** Defines backward ops of averages in three dimensions: the average is separable, and so is its adjoint. */
export const AVERAGE_VOLUME_BACKWARD_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::avg_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor",
    {
      decompose: ({ grad_output, self, count_include_pad, divisor_override, ...args }, b) => {
        const { kernel, stride, padding } = windowOf("avg_pool3d_backward", args, 3);
        const lines = [0, 1, 2].map((i): Line => {
          const size = self.shape.at(i - 3)!;
          const outputs = grad_output.shape.at(i - 3)!;
          const windows = Array.from({ length: outputs }, (_, o) => {
            const first = o * stride[i]! - padding[i]!;
            const last = Math.min(first + kernel[i]!, size + padding[i]!);
            const [start, end] = [Math.max(first, 0), Math.min(last, size)];
            const counted = count_include_pad ? last - first : end - start;
            return { start, end, divisor: divisor_override === null ? counted : 1 };
          });
          return { size, outputs, windows };
        });
        const spread = adjoint(b, grad_output, lines);
        return divisor_override === null ? spread : emit(b).div(spread, { float: divisor_override });
      },
    },
  ),
  defineOp("aten::_adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) -> Tensor", {
    decompose: ({ grad_output, self }, b) => {
      const lines = [0, 1, 2].map((i): Line => {
        const size = self.shape.at(i - 3)!;
        const outputs = grad_output.shape.at(i - 3)!;
        const windows = Array.from({ length: outputs }, (_, o) => {
          const start = Math.floor((o * size) / outputs);
          const end = Math.ceil(((o + 1) * size) / outputs);
          return { start, end, divisor: end - start };
        });
        return { size, outputs, windows };
      });
      return adjoint(b, grad_output, lines);
    },
  }),
];

/** Spreads each gradient over its window, one dimension after another. */
function adjoint(b: Builder, grad: TensorMeta, lines: readonly Line[]): TensorMeta {
  const e = emit(b);
  return lines.reduce((given, { size, windows }, i) => {
    const dim = given.shape.length - lines.length + i;
    const shape = given.shape.map((n, d) => (d === dim ? size : n));
    // Windows have at most the size of the kernel: one pass for each of their places.
    const longest = Math.max(0, ...windows.map(({ start, end }) => end - start));
    let sum = e.full(shape, 0, given.dtype);
    for (let place = 0; place < longest; place++) {
      for (const [first, last] of runs(windows.map(({ start, end }) => start + place < end))) {
        const group = windows.slice(first, last);
        const pieces = group.map(({ divisor }, k) =>
          e.div(e.slice(given, dim, first + k, first + k + 1), { float: divisor }),
        );
        const index = b.tensor("aten::stack", {
          tensors: group.map(({ start }) => e.full([], start + place, "int64")),
          dim: 0,
        });
        sum = b.tensor("aten::index_add", { self: sum, dim, index, source: e.cat(pieces, dim) });
      }
    }
    return sum;
  }, grad);
}

/** Returns the ranges in which a list is true. */
function runs(list: readonly boolean[]): readonly (readonly [first: number, last: number])[] {
  return list.flatMap((value, i) => {
    if (!value || list[i - 1] === true) return [];
    const end = list.indexOf(false, i);
    return [[i, end < 0 ? list.length : end] as const];
  });
}
