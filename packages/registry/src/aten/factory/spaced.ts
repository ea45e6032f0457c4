import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { DEFAULT_DTYPE, partOf } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { isTensorMeta, pythonDtype } from "../../wrapped.ts";
import { check } from "../support/check.ts";
import { partsOf } from "../support/complex-parts.ts";
import { isComplex, isIntegral } from "../support/dtypes.ts";
import { emit, type Operand } from "../support/emit.ts";

const OVERLOADS = [
  ["space", "Scalar start, Scalar end"],
  ["space.Tensor_Tensor", "Tensor start, Tensor end"],
  ["space.Tensor_Scalar", "Tensor start, Scalar end"],
  ["space.Scalar_Tensor", "Scalar start, Tensor end"],
] as const;

/** Defines `linspace` and `logspace`. */
export const SPACED_OPS: readonly OpRecord[] = [
  ...OVERLOADS.map(([name, ends]) =>
    defineOp(
      `aten::lin${name}(${ends}, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`,
      {
        requires: { ranks: { start: [0], end: [0] } },
        decompose: ({ start, end, steps, dtype }, b) => spaced(start, end, steps, dtype, b),
      },
    ),
  ),
  ...OVERLOADS.map(([name, ends]) =>
    defineOp(
      `aten::log${name}(${ends}, int steps, float base=10., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`,
      {
        requires: { ranks: { start: [0], end: [0] } },
        decompose: ({ start, end, steps, base, dtype }, b) =>
          logspace(start, end, steps, base, dtype ?? DEFAULT_DTYPE, b),
      },
    ),
  ),
];

/** Spaces the parts of complex numbers each. */
function spaced(start: Operand, end: Operand, steps: number, dtype: DType | null, b: Builder): TensorMeta {
  const [first, last] = [partsOf(start, b), partsOf(end, b)];
  const isPair = [start, end].some((x) => isComplex(isTensorMeta(x) ? x.dtype : pythonDtype(x)));
  const result = dtype ?? (isPair ? "complex64" : DEFAULT_DTYPE);
  if (!isComplex(result)) return linspace(start, end, steps, result, b);
  const part = (name: "re" | "im"): TensorMeta => linspace(first[name], last[name], steps, partOf(result), b);
  return b.tensor("aten::complex", { real: part("re"), imag: part("im") });
}

/** Counts the first half from the start and the second half from the end, so that both ends are exact. */
function linspace(start: Operand, end: Operand, steps: number, dtype: DType, b: Builder): TensorMeta {
  check(steps >= 0, "number of steps must be non-negative");
  const { add, arange: count, cast, div, lt, mul, sub, where } = emit(b);
  const compute = dtype === "float64" || isIntegral(dtype) ? "float64" : "float32";
  const [first, last] = [start, end].map((x) => cast(cast(scalarTensor(x, b), dtype), compute));
  const index = count(steps, compute);
  if (steps === 1) return cast(add(index, first!), dtype);
  const step = div(sub(last!, first!), { float: steps - 1 });
  const fromStart = add(mul(index, step), first!);
  const fromEnd = sub(last!, mul(sub({ float: steps - 1 }, index), step));
  return cast(where(lt(index, Math.floor(steps / 2)), fromStart, fromEnd), dtype);
}

/**
 * Computes powers of `base`; with an integer dtype only the exponents at the ends are integers. A single power is
 * computed in double precision from the exponent as it is.
 */
function logspace(start: Operand, end: Operand, steps: number, base: number, dtype: DType, b: Builder): TensorMeta {
  const isWhole = isIntegral(dtype) && steps !== 1;
  const whole = (x: Operand): Operand => (isWhole ? emit(b).cast(scalarTensor(x, b), dtype) : x);
  const wide = dtype === "float32" || isIntegral(dtype) || steps === 1 ? "float64" : dtype;
  const exponent = linspace(whole(start), whole(end), steps, wide, b);
  return emit(b).cast(b.tensor("aten::pow.Scalar", { self: { float: base }, exponent }), dtype);
}

/** Converts a number, or a tensor with one element, to an exact 0-d tensor. */
function scalarTensor(x: Operand, b: Builder): TensorMeta {
  return isTensorMeta(x) ? x : emit(b).full([], x, "float64");
}
