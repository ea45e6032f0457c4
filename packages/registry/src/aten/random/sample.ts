import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import { convert } from "../../scalar/convert.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { broadcast } from "../support/dims.ts";
import { isComplex, isFloat } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { requireData } from "../support/require-data.ts";
import { randomLike } from "./noise.ts";

const impure = true;

const LARGEST_HALF = 65504;

/** Defines random tensors in terms of `rand` and `randn`. */
export const SAMPLE_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::rand.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { impure, decompose: ({ size, dtype }, b) => b.tensor("aten::rand", { size, dtype }) },
  ),
  defineOp(
    "aten::randn.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { impure, decompose: ({ size, dtype }, b) => b.tensor("aten::randn", { size, dtype }) },
  ),
  defineOp(
    "aten::rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    { impure, decompose: ({ self, dtype }, b) => like(b, "rand", self, dtype) },
  ),
  defineOp(
    "aten::randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    { impure, decompose: ({ self, dtype }, b) => like(b, "randn", self, dtype) },
  ),
  defineOp(
    "aten::randint(SymInt high, SymInt[] size, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { impure, decompose: ({ high, size, dtype }, b) => integers(b, size, 0, high, longUnless(dtype)) },
  ),
  defineOp(
    "aten::randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      impure,
      infer: ({ low, high, size, dtype }) => {
        const type = longUnless(dtype);
        check(
          Math.abs(low) < Number.MAX_SAFE_INTEGER && Math.abs(high) < Number.MAX_SAFE_INTEGER,
          () => `random integers from ${low} to ${high}: bounds beyond 2^53 are not supported`,
        );
        check(high > low, () => `random_ expects 'from' to be less than 'to', but got from=${low} >= to=${high}`);
        check(!isComplex(type), () => `random integers are not implemented for ${type}`);
        const fits = (value: number): boolean =>
          isFloat(type)
            ? type !== "float16" || Math.abs(value) <= LARGEST_HALF
            : Number(convert(type, value)) === value;
        check(fits(low) && fits(high - 1), () => `from=${low} or to - 1=${high - 1} is out of bounds for ${type}`);
        return { dtype: type, shape: size };
      },
    },
  ),
  defineOp(
    "aten::randint_like(Tensor self, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    { impure, decompose: ({ self, high, dtype }, b) => integers(b, self.shape, 0, high, dtype ?? self.dtype) },
  ),
  defineOp(
    "aten::randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    {
      impure,
      decompose: ({ self, low, high, dtype }, b) => integers(b, self.shape, low, high, dtype ?? self.dtype),
    },
  ),
  defineOp("aten::random(Tensor self, *, Generator? generator=None) -> Tensor", {
    impure,
    infer: ({ self: { dtype, shape } }) => {
      check(!isComplex(dtype), () => `random integers are not implemented for ${dtype}`);
      return { dtype, shape };
    },
  }),
  defineOp("aten::random.to(Tensor self, int to, *, Generator? generator=None) -> Tensor", {
    impure,
    decompose: ({ self, to }, b) => integers(b, self.shape, 0, to, self.dtype),
  }),
  defineOp("aten::random.from(Tensor self, int from, int? to, *, Generator? generator=None) -> Tensor", {
    impure,
    decompose: ({ self, from, to }, b) => (to === null ? null : integers(b, self.shape, from, to, self.dtype)),
  }),
  defineOp(
    "aten::randperm(SymInt n, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      impure,
      infer: ({ n, dtype }) => {
        check(n >= 0, () => `n must be non-negative, got ${n}`);
        return { dtype: longUnless(dtype), shape: [n] };
      },
    },
  ),
  defineOp("aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor", {
    impure,
    decompose: ({ self }, b) => below(b, self, self),
  }),
  defineOp("aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor", {
    impure,
    requires: { ranges: { p: [0, 1] } },
    infer: ({ self: { dtype, shape } }) => ({ dtype, shape }),
  }),
  defineOp("aten::bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor", {
    impure,
    decompose: ({ self, p }, b) => below(b, self, p),
  }),
  defineOp("aten::uniform(Tensor self, float from=0., float to=1., *, Generator? generator=None) -> Tensor", {
    impure,
    requires: { ranges: { from: [-Number.MAX_VALUE, Number.MAX_VALUE], to: [-Number.MAX_VALUE, Number.MAX_VALUE] } },
    validate: ({ from, to }) =>
      from <= to ? null : `uniform_ expects to return a [from, to) range, but found from=${from} > to=${to}`,
    infer: ({ self }) => randomLike(self),
  }),
  defineOp(
    "aten::normal_functional(Tensor self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor",
    {
      impure,
      requires: { ranges: { std: [0, Number.POSITIVE_INFINITY] } },
      infer: ({ self }) => (isComplex(self.dtype) ? { dtype: self.dtype, shape: self.shape } : randomLike(self)),
      decompose: ({ self, mean, std }, b) =>
        isComplex(self.dtype) ? scaled(b, like(b, "randn", self, null), { float: std }, { float: mean }) : null,
    },
  ),
  defineOp("aten::normal.Tensor_float(Tensor mean, float std=1., *, Generator? generator=None) -> Tensor", {
    impure,
    requires: { ranges: { std: [0, Number.POSITIVE_INFINITY] } },
    decompose: ({ mean, std }, b) => scaled(b, like(b, "randn", mean, null), { float: std }, mean),
  }),
  defineOp("aten::normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor", {
    impure,
    decompose: ({ mean, std }, b) => scaled(b, like(b, "randn", std, null), std, { float: mean }),
  }),
  defineOp("aten::normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor", {
    impure,
    decompose: ({ mean, std }, b) => {
      const noise = b.tensor("aten::randn", { size: broadcast(mean.shape, std.shape), dtype: mean.dtype });
      return scaled(b, noise, std, mean);
    },
  }),
  defineOp(
    "aten::normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      impure,
      requires: { ranges: { std: [0, Number.POSITIVE_INFINITY] } },
      decompose: ({ mean, std, size, dtype }, b) =>
        scaled(b, b.tensor("aten::randn", { size, dtype }), { float: std }, { float: mean }),
    },
  ),
  defineOp(
    "aten::multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor",
    {
      impure,
      infer: ({ self: { dtype, shape }, num_samples, replacement }) => {
        const [categories, rank] = [shape.at(-1)!, shape.length];
        check(isFloat(dtype), () => `multinomial only supports floating-point dtypes for input, got: ${dtype}`);
        check(rank === 1 || rank === 2, () => `prob_dist must be 1 or 2 dim, got ${show(shape)}`);
        check(num_samples > 0, "cannot sample n_sample <= 0 samples");
        check(
          replacement || num_samples <= categories,
          "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
        );
        return { dtype: "int64", shape: [...shape.slice(0, -1), num_samples] };
      },
      decompose: ({ self, num_samples, replacement }, b) => {
        // A backend draws repeated samples.
        if (replacement && num_samples > 1) return null;
        const e = emit(b);
        const finite = b.tensor("aten::isfinite", { self });
        const odds = b.tensor("aten::logical_and", { self: finite, other: e.ge(self, 0) });
        requireData(b, odds, "probability tensor contains either `inf`, `nan` or element < 0");
        const some = e.gt(e.sum(self, [-1]), 0);
        requireData(b, some, "invalid multinomial distribution (sum of probabilities <= 0)");
        // The smallest of exponential waiting times is a sample with these weights, and so are the next ones, without
        // replacement.
        const race = e.div(self, b.tensor("aten::exponential", { self }));
        return b.call("aten::topk", { self: race, k: num_samples, dim: -1 })[1];
      },
    },
  ),
];

/** Returns the dtype, where the schema's default is the bare dtype number 4 for int64. */
function longUnless(dtype: DType | null): DType {
  return typeof dtype === "string" ? dtype : "int64";
}

function like(b: Builder, op: "rand" | "randn", self: TensorMeta, dtype: DType | null): TensorMeta {
  return b.tensor(`aten::${op}`, { size: self.shape, dtype: dtype ?? self.dtype });
}

function scaled(b: Builder, x: TensorMeta, factor: TensorMeta | Scalar, shift: TensorMeta | Scalar): TensorMeta {
  return emit(b).add(emit(b).mul(x, factor), shift);
}

function integers(b: Builder, size: readonly number[], low: number, high: number, dtype: DType): TensorMeta {
  return b.tensor("aten::randint.low", { low, high, size, dtype });
}

/** Returns 1 with probability `p`, else 0. */
function below(b: Builder, self: TensorMeta, p: TensorMeta): TensorMeta {
  const draw = b.tensor("aten::rand", { size: self.shape, dtype: p.dtype === "float64" ? "float64" : "float32" });
  return emit(b).cast(emit(b).lt(draw, p), self.dtype);
}
