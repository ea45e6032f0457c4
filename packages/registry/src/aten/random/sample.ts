import { DTYPES, type DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { broadcast } from "../support/dims.ts";
import { isComplex, isFloat } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { randomLike } from "./noise.ts";
import { firstOf } from "./race.ts";

const impure = true;

/** Ops whose bounds are ints, and the names of these. */
const INTEGERS = /^aten::(randint|random)/;
const BOUNDS = /^(low|high|from|to)$/;

const LARGEST_HALF = 65504n;
/** The last number of 64 bits, which only `random_` of all of them reaches: they are then those of an int64. */
const ALL = 2n ** 64n - 1n;

/** Whether a dtype has an integer; other floats than float16 round it. */
function fits(dtype: DType, value: bigint): boolean {
  if (isFloat(dtype)) return dtype !== "float16" || (value >= -LARGEST_HALF && value <= LARGEST_HALF);
  const { least, most } = rangeOf(dtype);
  return value >= least && value <= most;
}

/** The range of an integral dtype, or that in which a float has all integers. */
function rangeOf(dtype: DType): { readonly least: bigint; readonly most: bigint } {
  const { kind, itemsize } = DTYPES[dtype];
  const digits = DIGITS[dtype];
  if (digits !== undefined) return { least: -(2n ** digits), most: 2n ** digits };
  const bits = kind === "bool" ? 1n : BigInt(8 * itemsize) - (kind === "int" ? 1n : 0n);
  return { least: kind === "int" ? -(2n ** bits) : 0n, most: 2n ** bits - 1n };
}

const DIGITS: Readonly<Partial<Record<DType, bigint>>> = { float64: 53n, float32: 24n, float16: 11n, bfloat16: 8n };

/** Defines random tensors in terms of `rand` and `randn`. */
export const SAMPLE_OPS: readonly OpRecord[] = withExactInts([
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
    {
      impure,
      decompose: ({ high, size, dtype }, b) => integers(b, size, 0, high, longUnless(dtype)),
    },
  ),
  defineOp(
    "aten::randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      impure,
      infer: ({ low, high, size, dtype }) => {
        const type = longUnless(dtype);
        check(high > low, () => `random_ expects 'from' to be less than 'to', but got from=${low} >= to=${high}`);
        check(!isComplex(type), () => `random integers are not implemented for ${type}`);
        const last = BigInt(high) - 1n;
        check(
          last === ALL || (fits(type, BigInt(low)) && fits(type, last)),
          () => `from=${low} or to - 1=${last} is out of bounds for ${type}`,
        );
        return { dtype: type, shape: size };
      },
    },
  ),
  defineOp(
    "aten::randint_like(Tensor self, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    {
      impure,
      decompose: ({ self, high, dtype }, b) => integers(b, self.shape, 0, high, dtype ?? self.dtype),
    },
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
    decompose: ({ self, from, to }, b) =>
      to === null ? upFrom(b, self, from) : integers(b, self.shape, from, to, self.dtype),
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
        return firstOf(b, self, b.tensor("aten::exponential", { self }), num_samples);
      },
    },
  ),
]);

/** Says which ints are given as they are beyond 2^53: the bounds of random integers. */
function withExactInts(records: readonly OpRecord[]): readonly OpRecord[] {
  return records.map((record) => {
    if (!INTEGERS.test(record.name)) return record;
    const args = record.schema.args.map((arg) => (BOUNDS.test(arg.name) ? { ...arg, exact: true as const } : arg));
    return { ...record, schema: { ...record.schema, args } };
  });
}

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

function integers(
  b: Builder,
  size: readonly number[],
  low: number | bigint,
  high: number | bigint,
  dtype: DType,
): TensorMeta {
  return b.tensor("aten::randint.low", { low: low as number, high: high as number, size, dtype });
}

/** Draws integers from `from` up to the last of the dtype, or the last up to which a float has all; all of 64 bits from -2^63 on. */
function upFrom(b: Builder, self: TensorMeta, from: number | bigint): TensorMeta {
  const { most } = rangeOf(self.dtype);
  const isAll = BigInt(from) === -(2n ** 63n);
  check(
    !isAll || ["int64", "float64", "float32", "bfloat16"].includes(self.dtype),
    () => `random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16, not ${self.dtype}`,
  );
  check(isAll || from <= most, () => `random_ expects 'from' to be at most ${most}, but got from=${from}`);
  return isAll
    ? integers(b, self.shape, 0, ALL + 1n, self.dtype)
    : integers(b, self.shape, from, most + 1n, self.dtype);
}

/** Returns 1 with probability `p`, else 0. */
function below(b: Builder, self: TensorMeta, p: TensorMeta): TensorMeta {
  const draw = b.tensor("aten::rand", { size: self.shape, dtype: p.dtype === "float64" ? "float64" : "float32" });
  return emit(b).cast(emit(b).lt(draw, p), self.dtype);
}
