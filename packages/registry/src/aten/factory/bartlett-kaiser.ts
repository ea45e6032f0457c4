import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { DEFAULT_DTYPE } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { isIntegral } from "../support/dtypes.ts";
import { type Emit, emit } from "../support/emit.ts";

/** Defines the window functions that are not sums of cosines: Bartlett's and Kaiser's. */
export const BARTLETT_KAISER_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::bartlett_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { decompose: ({ window_length, dtype }, b) => sampleWindow(b, window_length, true, dtype, triangle) },
  ),
  defineOp(
    "aten::bartlett_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { decompose: ({ window_length, periodic, dtype }, b) => sampleWindow(b, window_length, periodic, dtype, triangle) },
  ),
  defineOp(
    "aten::kaiser_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { decompose: ({ window_length, dtype }, b) => sampleWindow(b, window_length, true, dtype, kaiser(b, 12)) },
  ),
  defineOp(
    "aten::kaiser_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      decompose: ({ window_length, periodic, dtype }, b) =>
        sampleWindow(b, window_length, periodic, dtype, kaiser(b, 12)),
    },
  ),
  defineOp(
    "aten::kaiser_window.beta(int window_length, bool periodic, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      decompose: ({ window_length, periodic, beta, dtype }, b) =>
        sampleWindow(b, window_length, periodic, dtype, kaiser(b, beta)),
    },
  ),
];

/** Computes the window at positions from -1 to 1. */
type WindowFunction = (e: Emit, position: TensorMeta) => TensorMeta;

/** Samples a window function. A periodic window is the window of one more element without its last one. */
function sampleWindow(
  b: Builder,
  length: number,
  periodic: boolean,
  dtype: DType | null,
  windowFunction: WindowFunction,
): TensorMeta {
  check(length >= 0, () => `window_length must be non-negative, got ${length}`);
  const result = dtype ?? DEFAULT_DTYPE;
  check(!isIntegral(result), () => `a window expects floating point dtypes, got ${result}`);
  const e = emit(b);
  if (length === 1) return e.full([1], 1, result);
  const half = (periodic ? length : length - 1) / 2;
  const at = e.arange(length, result === "float64" ? "float64" : "float32");
  return e.cast(windowFunction(e, e.div(e.sub(at, { float: half }), { float: half })), result);
}

const triangle: WindowFunction = (e, position) => e.sub({ float: 1 }, e.abs(position));

function kaiser(b: Builder, beta: number): WindowFunction {
  return (e, position) => {
    const i0 = (self: TensorMeta): TensorMeta => b.tensor("aten::i0", { self });
    const root = e.sqrt(e.clampMin(e.sub({ float: 1 }, e.mul(position, position)), { float: 0 }));
    return e.div(i0(e.mul(root, { float: beta })), i0(e.full([], { float: beta }, position.dtype)));
  };
}
