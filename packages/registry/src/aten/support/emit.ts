import type { DType } from "@pt2/format";
import type { ArgValue, Builder } from "../../builder.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { sameShape } from "./dims.ts";

/** Operand of an elementwise op: a tensor, or a number that does not decide the dtype. */
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

/** The ops that decompositions are written in, with short names. Ops that would do nothing are not emitted. */
export interface Emit extends Unaries, Binaries {
  cast(x: TensorMeta, dtype: DType): TensorMeta;
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
  /** `x[start:end]` along `dim`. */
  slice(x: TensorMeta, dim: number, start: number, end: number): TensorMeta;
  cat(tensors: readonly TensorMeta[], dim: number): TensorMeta;
  sum(x: TensorMeta, dim: readonly number[], keepdim?: boolean): TensorMeta;
  mean(x: TensorMeta, dim: readonly number[], keepdim?: boolean): TensorMeta;
  amax(x: TensorMeta, dim: readonly number[], keepdim?: boolean): TensorMeta;
  full(shape: readonly number[], value: Scalar, dtype: DType): TensorMeta;
  arange(end: number, dtype: DType): TensorMeta;
}

const UNARY = [
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
] as const;
const BINARY = ["add", "div", "mul", "sub", "eq", "ge", "gt", "le", "lt", "ne"] as const;

/** Short names for `b`. */
export function emit(b: Builder): Emit {
  const call = (op: string, args: Readonly<Record<string, ArgValue>>): TensorMeta => b.tensor(`aten::${op}`, args);
  const unary = Object.fromEntries(UNARY.map((f) => [f, (self: TensorMeta) => call(f, { self })]));
  const binary = Object.fromEntries(
    BINARY.map((f) => [f, (self: Operand, other: Operand) => call(`${f}.Tensor`, { self, other })]),
  );
  return {
    ...(unary as Unaries),
    ...(binary as Omit<Binaries, "maximum" | "minimum">),
    maximum: (self, other) => call("maximum", { self, other }),
    minimum: (self, other) => call("minimum", { self, other }),
    cast: (self, dtype) => (self.dtype === dtype ? self : call("_to_copy", { self, dtype })),
    pow: (self, exponent) => call("pow.Tensor_Scalar", { self, exponent }),
    clampMin: (self, min) => call("clamp_min", { self, min }),
    where: (condition, self, other) => call("where.self", { condition, self, other }),
    reshape: (self, shape) => (sameShape(self.shape, shape) ? self : call("reshape", { self, shape })),
    expand: (self, size) => (sameShape(self.shape, size) ? self : call("expand", { self, size })),
    permute: (self, dims) => (dims.every((d, i) => d === i) ? self : call("permute", { self, dims })),
    transpose: (self, dim0, dim1) => (dim0 === dim1 ? self : call("transpose.int", { self, dim0, dim1 })),
    unsqueeze: (self, dim) => call("unsqueeze", { self, dim }),
    squeeze: (self, dim) => call("squeeze.dim", { self, dim }),
    select: (self, dim, index) => call("select.int", { self, dim, index }),
    slice: (self, dim, start, end) => call("slice.Tensor", { self, dim, start, end, step: 1 }),
    cat: (tensors, dim) => (tensors.length === 1 ? tensors[0]! : call("cat", { tensors, dim })),
    sum: (self, dim, keepdim = false) => call("sum.dim_IntList", { self, dim, keepdim }),
    mean: (self, dim, keepdim = false) => call("mean.dim", { self, dim, keepdim }),
    amax: (self, dim, keepdim = false) => call("amax", { self, dim, keepdim }),
    full: (size, fill_value, dtype) => call("full", { size, fill_value, dtype }),
    arange: (end, dtype) => call("arange.start_step", { start: 0, end, step: 1, dtype }),
  };
}
