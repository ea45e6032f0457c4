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
  /** Where windows are one step apart, and divide alike. */
  readonly sliding?: { readonly kernel: number; readonly padding: number; readonly divisor: number };
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
          const alike = stride[i] === 1 && (count_include_pad || padding[i] === 0 || divisor_override !== null);
          const divisor = divisor_override === null ? kernel[i]! : 1;
          const sliding = { kernel: kernel[i]!, padding: padding[i]!, divisor };
          return { size, outputs, windows, ...(alike && { sliding }) };
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
  return lines.reduce(
    (given, line, i) =>
      line.sliding === undefined
        ? spread(b, given, given.shape.length - lines.length + i, line)
        : slid(b, given, i, line.sliding),
    grad,
  );
}

/** What slides over the gradients is the window itself. */
function slid(
  b: Builder,
  self: TensorMeta,
  i: number,
  { kernel, padding, divisor }: Line["sliding"] & object,
): TensorMeta {
  if (kernel === 1 && padding === 0) return self;
  const around = kernel - 1 - padding;
  const pad = [0, 1, 2].flatMap((d) => (d === 2 - i ? [around, around] : [0, 0]));
  const padded = around === 0 ? self : b.tensor("aten::constant_pad_nd", { self, pad, value: 0 });
  const kernel_size = [0, 1, 2].map((d) => (d === i ? kernel : 1));
  const divisor_override = divisor === kernel ? null : divisor;
  return b.tensor("aten::avg_pool3d", { self: padded, kernel_size, stride: [1, 1, 1], divisor_override });
}

/** Adds the gradients to each place of their windows: one pass for each. */
function spread(b: Builder, given: TensorMeta, dim: number, { size, windows }: Line): TensorMeta {
  const e = emit(b);
  const shape = given.shape.map((n, d) => (d === dim ? size : n));
  const longest = Math.max(0, ...windows.map(({ start, end }) => end - start));
  const divided = e.cat(
    alike(windows.map(({ divisor }) => divisor)).map(([first, last]) =>
      e.div(e.slice(given, dim, first, last), { float: windows[first]!.divisor }),
    ),
    dim,
  );
  let sum = e.full(shape, 0, given.dtype);
  for (let place = 0; place < longest; place++) {
    for (const [first, last] of runs(windows.map(({ start, end }) => start + place < end))) {
      const index = numbers(
        b,
        windows.slice(first, last).map(({ start }) => start + place),
      );
      sum = b.tensor("aten::index_add", { self: sum, dim, index, source: e.slice(divided, dim, first, last) });
    }
  }
  return sum;
}

/** Makes a list of integers of as few calls as it has pieces of equal steps. */
function numbers(b: Builder, list: readonly number[]): TensorMeta {
  const e = emit(b);
  const pieces: TensorMeta[] = [];
  for (let first = 0; first < list.length; ) {
    const [start, step] = [list[first]!, (list[first + 1] ?? list[first]!) - list[first]!];
    let last = first + 1;
    while (last < list.length && list[last] === list[last - 1]! + step) last++;
    const steps = last - first;
    pieces.push(
      step === 0
        ? e.full([steps], start, "int64")
        : b.tensor("aten::arange.start_step", { start, end: start + step * steps, step, dtype: "int64" }),
    );
    first = last;
  }
  return e.cat(pieces, 0);
}

/** Returns the ranges in which a list has one value. */
function alike(list: readonly number[]): readonly (readonly [first: number, last: number])[] {
  return list.flatMap((value, i) => {
    if (list[i - 1] === value) return [];
    const end = list.findIndex((other, k) => k > i && other !== value);
    return [[i, end < 0 ? list.length : end] as const];
  });
}

/** Returns the ranges in which a list is true. */
function runs(list: readonly boolean[]): readonly (readonly [first: number, last: number])[] {
  return list.flatMap((value, i) => {
    if (!value || list[i - 1] === true) return [];
    const end = list.indexOf(false, i);
    return [[i, end < 0 ? list.length : end] as const];
  });
}
