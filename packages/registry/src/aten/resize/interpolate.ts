import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { numel } from "../support/dims.ts";
import { type Emit, emit } from "../support/emit.ts";

/** The kernel that weights neighbors; `-aa` widens it for downsampling. */
export type Kernel = "linear" | "cubic" | "linear-aa" | "cubic-aa" | "lanczos-aa";

/** The arguments of {@link interpolate}. */
export interface Interpolation {
  readonly kernel: Kernel;
  readonly size: readonly number[];
  readonly alignCorners: boolean;
  readonly scales: readonly (number | null)[];
}

/** Resizes one spatial dimension after the other, the last one first. */
export function interpolate(
  b: Builder,
  self: TensorMeta,
  { kernel, size, alignCorners, scales }: Interpolation,
): TensorMeta {
  const e = emit(b);
  const first = self.shape.length - size.length;
  const result = size.reduceRight((x, count, d) => {
    const dim = first + d;
    const length = x.shape[dim]!;
    const scale = scales[d] ?? null;
    const ratio = alignCorners ? (count > 1 ? (length - 1) / (count - 1) : 0) : scale ? 1 / scale : length / count;
    if (kernel !== "linear" && kernel !== "cubic") {
      return length === count ? x : multiplyAlong(b, x, dim, antialiased(b, kernel, { length, count, ratio }, x.dtype));
    }
    const taps = kernel === "linear" ? linearTaps : cubicTaps;
    return sumOfTaps(b, x, dim, taps(b, sourceOf(e, count, alignCorners, ratio, x.dtype), { length, count, ratio }));
  }, e.wide(self));
  return e.cast(result, self.dtype);
}

/** How one dimension is resized. */
interface Axis {
  readonly length: number;
  readonly count: number;
  /** Inputs per output. */
  readonly ratio: number;
}

/** An input for each output, and its weight. */
interface Tap {
  readonly at: TensorMeta;
  readonly weight: TensorMeta;
}

/** Adds weighted neighbors. Others are not read, so that their infinities and NaNs stay where they are. */
function sumOfTaps(b: Builder, x: TensorMeta, dim: number, taps: readonly Tap[]): TensorMeta {
  const e = emit(b);
  const beside = x.shape.slice(dim + 1).map(() => 1);
  return taps
    .map(({ at, weight }) => {
      const chosen = b.tensor("aten::index_select", { self: x, dim, index: e.cast(at, "int64") });
      return e.mul(chosen, e.reshape(weight, [weight.shape[0]!, ...beside]));
    })
    .reduce((sum, part) => e.add(sum, part));
}

/** Returns the position that each output has among the inputs. */
function sourceOf(e: Emit, count: number, alignCorners: boolean, ratio: number, dtype: DType): TensorMeta {
  const output = e.arange(count, dtype);
  if (alignCorners) return e.mul(output, { float: ratio });
  return e.sub(e.mul(e.add(output, { float: 0.5 }), { float: ratio }), { float: 0.5 });
}

function linearTaps(b: Builder, center: TensorMeta, { length, count }: Axis): readonly Tap[] {
  const e = emit(b);
  const clamp = (self: TensorMeta, max: number): TensorMeta =>
    b.tensor("aten::clamp", { self, min: { float: 0 }, max: { float: max } });
  // What stays as long is copied, whatever the scale factor is. Beyond the last element the edge is repeated.
  const isCopied = length === count;
  const source = isCopied ? e.arange(count, center.dtype) : e.relu(center);
  const first = clamp(e.floor(source), length - 1);
  const weight = clamp(e.sub(source, first), 1);
  return [
    { at: first, weight: e.sub({ float: 1 }, weight) },
    { at: isCopied ? first : clamp(e.add(first, { float: 1 }), length - 1), weight },
  ];
}

/** The element at the edge is repeated beyond it. */
function cubicTaps(b: Builder, center: TensorMeta, { length }: Axis): readonly Tap[] {
  const e = emit(b);
  const base = e.floor(center);
  return [-1, 0, 1, 2].map((offset) => {
    const place = e.add(base, { float: offset });
    const at = b.tensor("aten::clamp", { self: place, min: { float: 0 }, max: { float: length - 1 } });
    return { at, weight: cubic(e, e.abs(e.sub(center, place)), -0.75) };
  });
}

/** Multiplies by a matrix of weights, of which row i holds the contribution of every input element to output i. */
function multiplyAlong(b: Builder, x: TensorMeta, dim: number, weights: TensorMeta): TensorMeta {
  const e = emit(b);
  const [before, length, after] = [x.shape.slice(0, dim), x.shape[dim]!, x.shape.slice(dim + 1)];
  const rows = e.reshape(x, [numel(before), length, numel(after)]);
  const product = b.tensor("aten::matmul", { self: weights, other: rows });
  return e.reshape(product, [...before, weights.shape[0]!, ...after]);
}

/** Stretches the kernel by the ratio and normalizes its weights; elements outside are left out. */
function antialiased(b: Builder, kernel: Kernel, { length, count, ratio }: Axis, dtype: DType): TensorMeta {
  const e = emit(b);
  const stretch = Math.max(ratio, 1);
  const center = e.unsqueeze(sourceOf(e, count, false, ratio, dtype), 1);
  const distance = e.div(e.abs(e.sub(e.arange(length, dtype), center)), { float: stretch });
  const weights =
    kernel === "linear-aa"
      ? e.relu(e.sub({ float: 1 }, distance))
      : kernel === "cubic-aa"
        ? cubic(e, distance, -0.5)
        : lanczos(b, distance);
  return e.div(weights, e.sum(weights, [1], true));
}

/** Computes Keys' cubic kernel at distance d ≥ 0; it is zero from 2 on. */
function cubic(e: Emit, d: TensorMeta, a: number): TensorMeta {
  const near = e.add(e.mul(e.mul(e.sub(e.mul(d, { float: a + 2 }), { float: a + 3 }), d), d), { float: 1 });
  const inner = e.mul(e.add(e.mul(e.sub(d, { float: 5 }), d), { float: 8 }), d);
  const far = e.mul(e.sub(inner, { float: 4 }), { float: a });
  return e.where(e.le(d, { float: 1 }), near, e.where(e.lt(d, { float: 2 }), far, { float: 0 }));
}

/** Computes Lanczos' kernel with three lobes at distance d ≥ 0; it is zero from 3 on. */
function lanczos(b: Builder, d: TensorMeta): TensorMeta {
  const e = emit(b);
  const sinc = (self: TensorMeta): TensorMeta => b.tensor("aten::sinc", { self });
  return e.where(e.lt(d, { float: 3 }), e.mul(sinc(d), sinc(e.div(d, { float: 3 }))), { float: 0 });
}
