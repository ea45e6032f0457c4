import type { Builder } from "../../builder.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { numel } from "../support/dims.ts";
import { checkSameDtype, isFloat } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/**
 * Computes the edges of equal bins between two numbers, or over the range of all elements; each half is computed from
 * its own end.
 */
export function equalBins(b: Builder, self: TensorMeta, bins: number, range: readonly number[] | null): TensorMeta {
  const e = emit(b);
  const { dtype } = self;
  check(bins > 0, () => `torch.histogram(): bins must be > 0, but got ${bins} for dimension 0`);
  const number = (value: number): TensorMeta => e.full([], { float: value }, dtype);
  const extreme = (op: "aten::amax" | "aten::amin"): TensorMeta => b.tensor(op, { self, dim: [], keepdim: false });
  const given = range ?? (numel(self.shape) === 0 ? [0, 1] : null);
  check(
    given === null || (given.length === 2 && given[0]! <= given[1]! && given.every(Number.isFinite)),
    () => `torch.histogramdd: a range must be finite, and min should not exceed max, but got ${given!.join(", ")}`,
  );
  const [least, most] = given?.map(number) ?? [extreme("aten::amin"), extreme("aten::amax")];
  const equal = e.eq(least!, most!);
  const low = e.where(equal, e.sub(least!, { float: 0.5 }), least!);
  const high = e.where(equal, e.add(most!, { float: 0.5 }), most!);
  const step = e.div(e.sub(high, low), bins);
  const at = e.arange(bins + 1, "int64");
  const [fromLow, fromHigh] = [e.add(low, e.mul(step, at)), e.sub(high, e.mul(step, e.sub(bins, at)))];
  return e.where(e.lt(at, Math.floor((bins + 1) / 2)), fromLow, fromHigh);
}

/** One coordinate of every point, and the edges of its bins. */
export interface Axis {
  readonly values: TensorMeta;
  readonly edges: TensorMeta;
}

/** Counts the points (or sums their weights) in each bin. The last bin of an axis includes its upper edge. */
export function countInBins(
  b: Builder,
  axes: readonly Axis[],
  weight: TensorMeta | null,
  density: boolean,
): TensorMeta {
  const e = emit(b);
  const { dtype, shape } = axes[0]!.values;
  const points = numel(shape);
  check(isFloat(dtype), () => `"histogramdd" not implemented for ${dtype}`);
  const flat = (x: TensorMeta): TensorMeta => e.reshape(x, [points]);
  let index: TensorMeta | null = null;
  let src = weight === null ? e.full([points], { float: 1 }, dtype) : flat(weight);
  for (const { values, edges } of axes) {
    checkSameDtype("histogram", values, edges, ...(weight === null ? [] : [weight]));
    const bins = binsOf(edges);
    const x = flat(values);
    const behind = b.tensor("aten::bucketize.Tensor", { self: x, boundaries: edges, right: true });
    const within = b.tensor("aten::clamp", { self: e.sub(behind, 1), min: 0, max: bins - 1 });
    index = index === null ? within : e.add(e.mul(index, bins), within);
    src = e.where(e.ge(x, e.select(edges, 0, 0)), src, { float: 0 });
    src = e.where(e.le(x, e.select(edges, 0, bins)), src, { float: 0 });
  }
  const sizes = axes.map(({ edges }) => binsOf(edges));
  const zeros = e.full([numel(sizes)], { float: 0 }, dtype);
  const counts = e.reshape(b.tensor("aten::scatter_add", { self: zeros, dim: 0, index: index!, src }), sizes);
  if (!density) return counts;
  const volumes = axes.map(({ edges }, d) => {
    const bins = binsOf(edges);
    const widths = e.sub(e.slice(edges, 0, 1, bins + 1), e.slice(edges, 0, 0, bins));
    return e.reshape(
      widths,
      sizes.map((size, k) => (k === d ? size : 1)),
    );
  });
  const all = e.sum(
    counts,
    sizes.map((_, d) => d),
  );
  return e.div(
    counts,
    volumes.reduce((x, y) => e.mul(x, y), all),
  );
}

function binsOf({ shape }: TensorMeta): number {
  check(shape.length === 1 && shape[0]! > 1, "torch.histogramdd: bins tensor should have one dimension, and two edges");
  return shape[0]! - 1;
}
