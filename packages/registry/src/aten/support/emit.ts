import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { computeDtype } from "../../dtype-promotion.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { sameShape } from "./dims.ts";

/** An operand of an elementwise op: a tensor, or a number that does not affect the dtype. */
export type Operand = TensorMeta | Scalar;

type Unary =
  | "abs"
  | "exp"
  | "expm1"
  | "log"
  | "log1p"
  | "neg"
  | "relu"
  | "rsqrt"
  | "sigmoid"
  | "sqrt"
  | "tanh"
  | "floor";
type Unaries = { readonly [F in Unary]: (x: TensorMeta) => TensorMeta };
type Comparison = "eq" | "ge" | "gt" | "le" | "lt" | "ne";
type Binary = "add" | "div" | "maximum" | "minimum" | "mul" | "sub" | Comparison;
type Binaries = { readonly [F in Binary]: (x: Operand, y: Operand) => TensorMeta };

/** Short names for the ops that decompositions use most. No-ops are not emitted. */
export interface Emit extends Unaries, Binaries {
  cast(x: TensorMeta, dtype: DType): TensorMeta;
  /** Emits numbers as PyTorch's kernels compute with them: narrow ones as float32. */
  wide(x: TensorMeta): TensorMeta;
  pow(x: TensorMeta, exponent: Scalar): TensorMeta;
  clampMin(x: TensorMeta, min: Scalar): TensorMeta;
  where(condition: TensorMeta, x: Operand, y: Operand): TensorMeta;
  reshape(x: TensorMeta, shape: readonly number[]): TensorMeta;
  expand(x: TensorMeta, shape: readonly number[]): TensorMeta;
  permute(x: TensorMeta, dims: readonly number[]): TensorMeta;
  transpose(x: TensorMeta, dim0: number, dim1: number): TensorMeta;
  unsqueeze(x: TensorMeta, dim: number): TensorMeta;
  squeeze(x: TensorMeta, dim: number): TensorMeta;
  select(x: TensorMeta, dim: number, index: number): TensorMeta;
  /** Emits `x[start:end]` along `dim`. */
  slice(x: TensorMeta, dim: number, start: number, end: number): TensorMeta;
  cat(tensors: readonly TensorMeta[], dim: number): TensorMeta;
  sum(x: TensorMeta, dim: readonly number[], keepdim?: boolean): TensorMeta;
  mean(x: TensorMeta, dim: readonly number[], keepdim?: boolean): TensorMeta;
  amax(x: TensorMeta, dim: readonly number[], keepdim?: boolean): TensorMeta;
  full(shape: readonly number[], value: Scalar, dtype: DType): TensorMeta;
  arange(end: number, dtype: DType): TensorMeta;
}

const UNARY: readonly Unary[] = [
  "abs",
  "exp",
  "expm1",
  "log",
  "log1p",
  "neg",
  "relu",
  "rsqrt",
  "sigmoid",
  "sqrt",
  "tanh",
  "floor",
];
const BINARY = ["add", "div", "mul", "sub", "eq", "ge", "gt", "le", "lt", "ne"] as const;

type Makers = { readonly [Name in keyof Emit]: (b: Builder) => Emit[Name] };

const unary = (name: Unary) => [name, (b: Builder) => (self: TensorMeta) => b.tensor(`aten::${name}`, { self })];
const binary = (name: (typeof BINARY)[number]) => [
  name,
  (b: Builder) => (self: Operand, other: Operand) => b.tensor(`aten::${name}.Tensor`, { self, other }),
];

const MAKERS: Makers = {
  ...(Object.fromEntries(UNARY.map(unary)) as Pick<Makers, Unary>),
  ...(Object.fromEntries(BINARY.map(binary)) as Pick<Makers, (typeof BINARY)[number]>),
  maximum: (b) => (self, other) => b.tensor("aten::maximum", { self, other }),
  minimum: (b) => (self, other) => b.tensor("aten::minimum", { self, other }),
  cast: (b) => (self, dtype) => (self.dtype === dtype ? self : b.tensor("aten::_to_copy", { self, dtype })),
  wide: (b) => (x) => emit(b).cast(x, computeDtype(x.dtype)),
  pow: (b) => (self, exponent) => b.tensor("aten::pow.Tensor_Scalar", { self, exponent }),
  clampMin: (b) => (self, min) => b.tensor("aten::clamp_min", { self, min }),
  where: (b) => (condition, self, other) => b.tensor("aten::where.self", { condition, self, other }),
  reshape: (b) => (self, shape) => (sameShape(self.shape, shape) ? self : b.tensor("aten::reshape", { self, shape })),
  expand: (b) => (self, size) => (sameShape(self.shape, size) ? self : b.tensor("aten::expand", { self, size })),
  permute: (b) => (self, dims) => (dims.every((d, i) => d === i) ? self : b.tensor("aten::permute", { self, dims })),
  transpose: (b) => (self, dim0, dim1) =>
    dim0 === dim1 ? self : b.tensor("aten::transpose.int", { self, dim0, dim1 }),
  unsqueeze: (b) => (self, dim) => b.tensor("aten::unsqueeze", { self, dim }),
  squeeze: (b) => (self, dim) => b.tensor("aten::squeeze.dim", { self, dim }),
  select: (b) => (self, dim, index) => b.tensor("aten::select.int", { self, dim, index }),
  slice: (b) => (self, dim, start, end) => b.tensor("aten::slice.Tensor", { self, dim, start, end, step: 1 }),
  cat: (b) => (tensors, dim) => (tensors.length === 1 ? tensors[0]! : b.tensor("aten::cat", { tensors, dim })),
  sum:
    (b) =>
    (self, dim, keepdim = false) =>
      b.tensor("aten::sum.dim_IntList", { self, dim, keepdim }),
  mean:
    (b) =>
    (self, dim, keepdim = false) =>
      b.tensor("aten::mean.dim", { self, dim, keepdim }),
  amax:
    (b) =>
    (self, dim, keepdim = false) =>
      b.tensor("aten::amax", { self, dim, keepdim }),
  full: (b) => (size, fill_value, dtype) => b.tensor("aten::full", { size, fill_value, dtype }),
  arange: (b) => (end, dtype) => b.tensor("aten::arange.start_step", { start: 0, end, step: 1, dtype }),
};

/** Makes each function when it is asked for: every decomposition has an object of these, and calls few of them. */
class ShortNames {
  readonly b: Builder;

  constructor(b: Builder) {
    this.b = b;
  }

  static {
    for (const [name, make] of Object.entries(MAKERS)) {
      Object.defineProperty(ShortNames.prototype, name, {
        get(this: ShortNames) {
          return make(this.b);
        },
      });
    }
  }
}

/** Returns short names for the ops of `b`. */
export function emit(b: Builder): Emit {
  return new ShortNames(b) as unknown as Emit;
}
