import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { computeDtype } from "../../dtype-promotion.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { numel } from "../support/dims.ts";
import { type Emit, emit } from "../support/emit.ts";

/** The kernel that weights neighbors; `-aa` widens it for downsampling. */
export type Kernel = "linear" | "cubic" | "linear-aa" | "cubic-aa";

/** The arguments of {@link interpolate}. */
export interface Interpolation {
  readonly kernel: Kernel;
  readonly size: readonly number[];
  readonly alignCorners: boolean;
  readonly scales: readonly (number | null)[];
}

/**
 * Resizes each spatial dimension by a matrix of weights: row i holds the contribution of every input element to output
 * i. The matrices are small, depend on sizes only, and fold into constants.
 */
export function interpolate(
  b: Builder,
  self: TensorMeta,
  { kernel, size, alignCorners, scales }: Interpolation,
): TensorMeta {
  const e = emit(b);
  const first = self.shape.length - size.length;
  const result = size.reduceRight(
    (x, count, d) => {
      const dim = first + d;
      const weights = weightMatrix(b, kernel, x.shape[dim]!, count, alignCorners, scales[d] ?? null, x.dtype);
      return multiplyAlong(b, x, dim, e.cast(weights, x.dtype));
    },
    e.cast(self, computeDtype(self.dtype)),
  );
  return e.cast(result, self.dtype);
}

function multiplyAlong(b: Builder, x: TensorMeta, dim: number, weights: TensorMeta): TensorMeta {
  const e = emit(b);
  const [before, length, after] = [x.shape.slice(0, dim), x.shape[dim]!, x.shape.slice(dim + 1)];
  const rows = e.reshape(x, [numel(before), length, numel(after)]);
  const product = b.tensor("aten::matmul", { self: weights, other: rows });
  return e.reshape(product, [...before, weights.shape[0]!, ...after]);
}

/** Returns `[count, length]` weights, in the precision of the images. */
function weightMatrix(
  b: Builder,
  kernel: Kernel,
  length: number,
  count: number,
  alignCorners: boolean,
  scale: number | null,
  dtype: DType,
): TensorMeta {
  const e = emit(b);
  const ratio = alignCorners ? (count > 1 ? (length - 1) / (count - 1) : 0) : scale ? 1 / scale : length / count;
  const output = e.unsqueeze(e.arange(count, dtype), 1);
  const input = e.arange(length, dtype);
  if (kernel === "linear-aa" || kernel === "cubic-aa") return antialiased(e, kernel, output, input, ratio);
  const center = alignCorners
    ? e.mul(output, { float: ratio })
    : e.sub(e.mul(e.add(output, { float: 0.5 }), { float: ratio }), { float: 0.5 });
  if (kernel === "linear") {
    // Beyond the first and the last element the edge is repeated.
    const inside = b.tensor("aten::clamp", { self: center, min: { float: 0 }, max: { float: length - 1 } });
    return e.relu(e.sub({ float: 1 }, e.abs(e.sub(input, inside))));
  }
  return cubicWithEdges(b, e, center, input, length);
}

/** Adds the weight of each of the four taps to its element, or to the element at the edge. */
function cubicWithEdges(b: Builder, e: Emit, center: TensorMeta, input: TensorMeta, length: number): TensorMeta {
  const base = e.floor(center);
  const taps = [-1, 0, 1, 2].map((offset) => {
    const at = e.add(base, { float: offset });
    const place = b.tensor("aten::clamp", { self: at, min: { float: 0 }, max: { float: length - 1 } });
    return e.mul(e.cast(e.eq(place, input), center.dtype), cubic(e, e.abs(e.sub(center, at)), -0.75));
  });
  return taps.reduce((sum, tap) => e.add(sum, tap));
}

/** Stretches the kernel by the ratio and normalizes its weights; elements outside are left out. */
function antialiased(e: Emit, kernel: Kernel, output: TensorMeta, input: TensorMeta, ratio: number): TensorMeta {
  const stretch = Math.max(ratio, 1);
  const center = e.sub(e.mul(e.add(output, { float: 0.5 }), { float: ratio }), { float: 0.5 });
  const distance = e.div(e.abs(e.sub(input, center)), { float: stretch });
  const weights = kernel === "linear-aa" ? e.relu(e.sub({ float: 1 }, distance)) : cubic(e, distance, -0.5);
  return e.div(weights, e.sum(weights, [1], true));
}

/** Computes Keys' cubic kernel at distance d ≥ 0; it is zero from 2 on. */
function cubic(e: Emit, d: TensorMeta, a: number): TensorMeta {
  const near = e.add(e.mul(e.mul(e.sub(e.mul(d, { float: a + 2 }), { float: a + 3 }), d), d), { float: 1 });
  const inner = e.mul(e.add(e.mul(e.sub(d, { float: 5 }), d), { float: 8 }), d);
  const far = e.mul(e.sub(inner, { float: 4 }), { float: a });
  return e.where(e.le(d, { float: 1 }), near, e.where(e.lt(d, { float: 2 }), far, { float: 0 }));
}
