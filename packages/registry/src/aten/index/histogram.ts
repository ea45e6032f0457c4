import type { OpName } from "@pt2/graph";
import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { numel } from "../support/dims.ts";
import { checkSameDtype, isFloat } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Counting how often values occur. */
export const HISTOGRAM_OPS: readonly OpRecord[] = [
  defineOp("aten::bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor", {
    infer: ({ weights, minlength }) => {
      const dtype = weights === null ? "int64" : weights.dtype === "float32" ? "float32" : "float64";
      return { dtype, shape: [minlength] };
    },
    dynamic: true,
  }),
  defineOp("aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor", {
    infer: ({ self, bins }) => {
      check(bins > 0, "torch.histc(): bins must be > 0");
      check(isFloat(self.dtype), () => `"histogram_cpu" not implemented for ${self.dtype}`);
      return { dtype: self.dtype, shape: [bins] };
    },
  }),
  defineOp(
    "aten::histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
    {
      decompose: ({ self, bins, range, weight, density }, b) => {
        check(bins > 0, () => `torch.histogram(): bins must be > 0, but got ${bins} for dimension 0`);
        return histogram(b, self, equalBins(b, self, bins, range), weight, density);
      },
    },
  ),
  defineOp(
    "aten::histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
    { decompose: ({ self, bins, weight, density }, b) => histogram(b, self, bins, weight, density) },
  ),
];

/** Edges of bins of one size between two numbers, or over all elements; halves are counted from either end. */
function equalBins(b: Builder, self: TensorMeta, bins: number, range: readonly number[] | null): TensorMeta {
  const e = emit(b);
  const { dtype } = self;
  const number = (value: number): TensorMeta => e.full([], { float: value }, dtype);
  const extreme = (op: OpName): TensorMeta => b.tensor(op, { self, dim: [], keepdim: false });
  const given = range ?? (numel(self.shape) === 0 ? [0, 1] : null);
  check(
    given === null || (given.length === 2 && given[0]! <= given[1]!),
    () => `torch.histogramdd: min should not exceed max, but got ${given!.join(", ")}`,
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

/** How many elements (or how much weight) lie between neighbouring edges. The last bin contains its upper edge. */
function histogram(
  b: Builder,
  self: TensorMeta,
  edges: TensorMeta,
  weight: TensorMeta | null,
  density: boolean,
): readonly [TensorMeta, TensorMeta] {
  check(isFloat(self.dtype), () => `"histogramdd" not implemented for ${self.dtype}`);
  checkSameDtype("histogram", self, edges, ...(weight === null ? [] : [weight]));
  const bins = edges.shape[0]! - 1;
  check(
    edges.shape.length === 1 && bins > 0,
    "torch.histogramdd: bins tensor should have one dimension, and two edges",
  );
  const e = emit(b);
  const flat = (x: TensorMeta): TensorMeta => e.reshape(x, [numel(self.shape)]);
  const x = flat(self);
  const behind = b.tensor("aten::bucketize.Tensor", { self: x, boundaries: edges, right: true });
  const index = b.tensor("aten::clamp", { self: e.sub(behind, 1), min: 0, max: bins - 1 });
  const [first, last] = [e.select(edges, 0, 0), e.select(edges, 0, bins)];
  const reached = e.where(e.ge(x, first), weight === null ? { float: 1 } : flat(weight), { float: 0 });
  const src = e.cast(e.where(e.le(x, last), reached, { float: 0 }), self.dtype);
  const zeros = e.full([bins], { float: 0 }, self.dtype);
  const counts = b.tensor("aten::scatter_add", { self: zeros, dim: 0, index, src });
  if (!density) return [counts, edges];
  const widths = e.sub(e.slice(edges, 0, 1, bins + 1), e.slice(edges, 0, 0, bins));
  return [e.div(counts, e.mul(widths, e.sum(counts, [0]))), edges];
}
