import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { DEFAULT_DTYPE } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { pythonDtype } from "../../wrapped.ts";
import { check } from "../support/check.ts";
import { toNumber } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Defines sequences of numbers. */
export const SEQUENCE_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { decompose: ({ end, dtype }, b) => arange(0, end, 1, dtype, b) },
  ),
  defineOp(
    "aten::arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { decompose: ({ start, end, dtype }, b) => arange(start, end, 1, dtype, b) },
  ),
  defineOp(
    "aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      infer({ start, end, step, dtype }) {
        const type = dtype ?? sequenceDtype([start, end, step]);
        // PyTorch truncates the bounds of an int64 sequence before it counts the elements, but not those of other
        // integers.
        const counted = (x: Scalar): number => (type === "int64" ? Math.trunc(toNumber(x)) : toNumber(x));
        const [from, to, by] = [counted(start), counted(end), counted(step)];
        check(by !== 0, "step must be nonzero");
        check(by > 0 ? to >= from : to <= from, "upper bound and lower bound inconsistent with step sign");
        return { dtype: type, shape: [Math.ceil(difference(start, end, to - from) / by)] };
      },
    },
  ),
  defineOp(
    "aten::eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { decompose: ({ n, dtype }, b) => eye(n, n, dtype, b) },
  ),
  defineOp(
    "aten::eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { decompose: ({ n, m, dtype }, b) => eye(n, m, dtype, b) },
  ),
];

/** How far two integers are apart, which may be beyond those that numbers tell apart; `otherwise` for floats. */
function difference(start: Scalar, end: Scalar, otherwise: number): number {
  return typeof start === "object" || typeof end === "object" ? otherwise : Number(BigInt(end) - BigInt(start));
}

function sequenceDtype(numbers: readonly Scalar[]): DType {
  return numbers.some((number) => pythonDtype(number) === "float64") ? DEFAULT_DTYPE : "int64";
}

function arange(start: Scalar, end: Scalar, step: Scalar, dtype: DType | null, b: Builder): TensorMeta {
  return b.tensor("aten::arange.start_step", { start, end, step, dtype: dtype ?? sequenceDtype([start, end]) });
}

function eye(rows: number, columns: number, dtype: DType | null, b: Builder): TensorMeta {
  check(rows >= 0 && columns >= 0, () => `n and m must be greater or equal to 0, got ${rows} and ${columns}`);
  const { arange: count, cast, eq, unsqueeze } = emit(b);
  const diagonal = eq(unsqueeze(count(rows, "int64"), 1), count(columns, "int64"));
  return cast(diagonal, dtype ?? DEFAULT_DTYPE);
}
