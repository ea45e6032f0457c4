import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { numel, sameShape } from "../support/dims.ts";
import { isFloat, toNumber } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { type Axis, countInBins, equalBins } from "./bins.ts";

/** Defines ops that count values. */
export const HISTOGRAM_OPS: readonly OpRecord[] = [
  defineOp("aten::bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor", {
    infer: ({ self, weights, minlength }) => {
      check(
        self.shape.length === 1 || numel(self.shape) === 0,
        "bincount only supports 1-d non-negative integral inputs.",
      );
      // Of nothing PyTorch sums no weights, it counts.
      const counts = weights === null || numel(self.shape) === 0;
      const dtype = counts ? "int64" : weights.dtype === "float32" ? "float32" : "float64";
      return { dtype, shape: [minlength] };
    },
    dynamic: true,
  }),
  defineOp("aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor", {
    infer: ({ self, bins, min, max }) => {
      const [least, most] = [toNumber(min), toNumber(max)];
      check(
        Number.isFinite(least) && Number.isFinite(most),
        () => `torch.histc: range of [${least}, ${most}] is not finite`,
      );
      check(least <= most, "torch.histc: max must be larger than min");
      check(bins > 0, "torch.histc(): bins must be > 0");
      check(isFloat(self.dtype), () => `"histogram_cpu" not implemented for ${self.dtype}`);
      return { dtype: self.dtype, shape: [bins] };
    },
  }),
  defineOp(
    "aten::histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
    {
      decompose: ({ self, bins, range, weight, density }, b) => {
        const edges = equalBins(b, self, bins, range);
        return [countInBins(b, [{ values: self, edges }], weight, density), edges];
      },
    },
  ),
  defineOp(
    "aten::histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
    {
      decompose: ({ self, bins, weight, density }, b) => [
        countInBins(b, [{ values: self, edges: bins }], weight, density),
        bins,
      ],
    },
  ),
  defineOp(
    "aten::histogramdd(Tensor self, int[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)",
    { decompose: ({ self, bins, range, weight, density }, b) => boxes(b, self, bins, { range, weight, density }) },
  ),
  defineOp(
    "aten::histogramdd.int_bins(Tensor self, int bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)",
    { decompose: ({ self, bins, range, weight, density }, b) => boxes(b, self, bins, { range, weight, density }) },
  ),
  defineOp(
    "aten::histogramdd.TensorList_bins(Tensor self, Tensor[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)",
    { decompose: ({ self, bins, weight, density }, b) => boxes(b, self, bins, { range: null, weight, density }) },
  ),
  defineOp(
    "aten::_histogramdd_bin_edges(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor[]",
    { decompose: ({ self, bins, range, weight }, b) => axesOf(b, self, bins, range, weight).map(({ edges }) => edges) },
  ),
  defineOp(
    "aten::_histogramdd_from_bin_cts(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor",
    { decompose: ({ self, bins, range, weight, density }, b) => boxes(b, self, bins, { range, weight, density })[0] },
  ),
  defineOp(
    "aten::_histogramdd_from_bin_tensors(Tensor self, Tensor[] bins, *, Tensor? weight=None, bool density=False) -> Tensor",
    { decompose: ({ self, bins, weight, density }, b) => boxes(b, self, bins, { range: null, weight, density })[0] },
  ),
];

/** The numbers of bins, or their edges, for each coordinate in the last dimension. */
type Bins = number | readonly number[] | readonly TensorMeta[];

function boxes(
  b: Builder,
  self: TensorMeta,
  bins: Bins,
  options: { readonly range: readonly number[] | null; readonly weight: TensorMeta | null; readonly density: boolean },
): readonly [TensorMeta, readonly TensorMeta[]] {
  const axes = axesOf(b, self, bins, options.range, options.weight);
  return [countInBins(b, axes, options.weight, options.density), axes.map(({ edges }) => edges)];
}

function axesOf(
  b: Builder,
  self: TensorMeta,
  bins: Bins,
  range: readonly number[] | null,
  weight: TensorMeta | null,
): readonly Axis[] {
  const { select } = emit(b);
  check(
    self.shape.length >= 2,
    () => `torch.histogramdd: input tensor should have at least 2 dimensions, but got ${self.shape.length}`,
  );
  const count = self.shape.at(-1)!;
  const list = typeof bins === "number" ? new Array<number>(count).fill(bins) : bins;
  check(
    list.length === count && (range === null || range.length === 2 * count),
    () =>
      `torch.histogramdd: expected ${count} bins and ${2 * count} values in range, but got ${list.length} and ${range?.length}`,
  );
  check(
    weight === null || sameShape(weight.shape, self.shape.slice(0, -1)),
    "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding its innermost dimension",
  );
  return list.map((item, d) => {
    const values = select(self, -1, d);
    const edges = typeof item === "number" ? equalBins(b, values, item, range?.slice(2 * d, 2 * d + 2) ?? null) : item;
    return { values, edges };
  });
}
