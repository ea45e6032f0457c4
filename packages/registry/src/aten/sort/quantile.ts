import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, invalid, show } from "../support/check.ts";
import { numel, range, reducedDims, reducedShape } from "../support/dims.ts";
import { emit } from "../support/emit.ts";
import { sort } from "./sort.ts";

interface Request {
  readonly self: TensorMeta;
  /** A 0-d or 1-d tensor; with a 1-d tensor the results get a new first dimension. */
  readonly q: TensorMeta;
  readonly dim: number | null;
  readonly keepdim: boolean;
  readonly interpolation: string;
}

type Numbered = Omit<Request, "q"> & { readonly q: number };

/** Defines quantiles. */
export const QUANTILE_OPS: readonly OpRecord[] = [
  defineOp(
    'aten::quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation="linear") -> Tensor',
    { decompose: (args, b) => quantile(b, args, false) },
  ),
  defineOp(
    'aten::quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation="linear") -> Tensor',
    { decompose: (args, b) => quantile(b, withTensor(b, args), false) },
  ),
  defineOp(
    'aten::nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation="linear") -> Tensor',
    { decompose: (args, b) => quantile(b, args, true) },
  ),
  defineOp(
    'aten::nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation="linear") -> Tensor',
    { decompose: (args, b) => quantile(b, withTensor(b, args), true) },
  ),
];

function withTensor(b: Builder, args: Numbered): Request {
  check(args.q >= 0 && args.q <= 1, () => `quantile() q must be in the range [0, 1] but got ${args.q}`);
  return { ...args, q: emit(b).full([], { float: args.q }, args.self.dtype) };
}

/** Sorts rows with NaN last; `interpolation` decides between two elements. */
function quantile(b: Builder, { self, q, dim, keepdim, interpolation }: Request, skipNan: boolean): TensorMeta {
  const e = emit(b);
  check(
    self.dtype === "float32" || self.dtype === "float64",
    "quantile() input tensor must be either float or double dtype",
  );
  check(q.dtype === self.dtype, "quantile() q tensor must be same dtype as the input tensor");
  check(q.shape.length <= 1, () => `quantile() q must be a scalar or 1D tensor, got ${show(q.shape)}`);
  check(numel(self.shape) > 0, "quantile() input tensor must be non-empty");
  const dims = reducedDims(dim, self.shape.length);
  const kept = range(self.shape.length).filter((d) => !dims.includes(d));
  const sizes = kept.map((d) => self.shape[d]!);
  const rows = e.reshape(e.permute(self, [...kept, ...dims]), [...sizes, numel(dims.map((d) => self.shape[d]!))]);
  const found = atRanks(b, sort(b, rows, -1)[0], q, interpolation, skipNan);
  const first = e.permute(found, [kept.length, ...range(kept.length)]);
  return e.reshape(first, [...q.shape, ...reducedShape(self.shape, dims, keepdim)]);
}

/** Returns one value per element of `q`, from rows that are sorted along the last dimension. */
function atRanks(b: Builder, rows: TensorMeta, q: TensorMeta, interpolation: string, skipNan: boolean): TensorMeta {
  const e = emit(b);
  const last = rows.shape.at(-1)! - 1;
  const missing = e.sum(b.tensor("aten::isnan", { self: rows }), [-1], true);
  const wanted = e.reshape(q, [numel(q.shape)]);
  // Unless NaN is skipped, every quantile of a row with a NaN is NaN: the row's last element.
  const ranks = skipNan
    ? e.mul(wanted, e.cast(e.clampMin(e.sub(last, missing), 0), q.dtype))
    : e.where(e.gt(missing, 0), { float: last }, e.mul(wanted, { float: last }));
  const at = (rank: TensorMeta): TensorMeta =>
    b.tensor("aten::gather", { self: rows, dim: -1, index: e.cast(rank, "int64") });
  const low = e.floor(ranks);
  const high = b.tensor("aten::ceil", { self: ranks });
  switch (interpolation) {
    case "lower":
      return at(low);
    case "higher":
      return at(high);
    case "nearest":
      return at(b.tensor("aten::round", { self: ranks }));
    case "midpoint":
      return b.tensor("aten::lerp.Scalar", { self: at(low), end: at(high), weight: { float: 0.5 } });
    case "linear":
      return b.tensor("aten::lerp.Tensor", { self: at(low), end: at(high), weight: e.sub(ranks, low) });
  }
  throw invalid(
    `quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got ${interpolation}`,
  );
}
