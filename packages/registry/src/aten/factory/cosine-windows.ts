import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { DEFAULT_DTYPE } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord, type Requirements } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { emit } from "../support/emit.ts";

/** A sum of cosines over one period: `a0 - a1·cos(t) + a2·cos(2t)`. */
type Cosines = readonly [a0: number, a1: number, a2: number];

const HANN: Cosines = [0.5, 0.5, 0];
const BLACKMAN: Cosines = [0.42, 0.5, 0.08];

/** PyTorch computes window functions in floating point dtypes only. */
const FLOATS: Requirements = { choices: { dtype: ["float16", "bfloat16", "float32", "float64"] } };

/** Defines the window functions that are sums of cosines. */
export const COSINE_WINDOW_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::hann_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { requires: FLOATS, decompose: ({ window_length, dtype }, b) => cosines(window_length, true, HANN, dtype, b) },
  ),
  defineOp(
    "aten::hann_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      requires: FLOATS,
      decompose: ({ window_length, periodic, dtype }, b) => cosines(window_length, periodic, HANN, dtype, b),
    },
  ),
  defineOp(
    "aten::blackman_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      requires: FLOATS,
      decompose: ({ window_length, dtype }, b) => cosines(window_length, true, BLACKMAN, dtype, b),
    },
  ),
  defineOp(
    "aten::blackman_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      requires: FLOATS,
      decompose: ({ window_length, periodic, dtype }, b) => cosines(window_length, periodic, BLACKMAN, dtype, b),
    },
  ),
  defineOp(
    "aten::hamming_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      requires: FLOATS,
      decompose: ({ window_length, dtype }, b) => cosines(window_length, true, [0.54, 0.46, 0], dtype, b),
    },
  ),
  defineOp(
    "aten::hamming_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      requires: FLOATS,
      decompose: ({ window_length, periodic, dtype }, b) => cosines(window_length, periodic, [0.54, 0.46, 0], dtype, b),
    },
  ),
  defineOp(
    "aten::hamming_window.periodic_alpha(int window_length, bool periodic, float alpha, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      requires: FLOATS,
      decompose: ({ window_length, periodic, alpha, dtype }, b) =>
        cosines(window_length, periodic, [alpha, 0.46, 0], dtype, b),
    },
  ),
  defineOp(
    "aten::hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      requires: FLOATS,
      decompose: ({ window_length, periodic, alpha, beta, dtype }, b) =>
        cosines(window_length, periodic, [alpha, beta, 0], dtype, b),
    },
  ),
];

function cosines(length: number, periodic: boolean, terms: Cosines, dtype: DType | null, b: Builder): TensorMeta {
  check(length >= 0, () => `window_length must be non-negative, got ${length}`);
  const result = dtype ?? DEFAULT_DTYPE;
  const { add, arange, cast, full, mul } = emit(b);
  if (length === 1) return full([1], 1, result);
  const compute = result === "float64" ? "float64" : "float32";
  const [a0, a1, a2] = terms;
  const step = (2 * Math.PI) / (periodic ? length : length - 1);
  const wave = (times: number): TensorMeta =>
    b.tensor("aten::cos", { self: mul(arange(length, compute), { float: step * times }) });
  const first = add(mul(wave(1), { float: -a1 }), { float: a0 });
  return cast(a2 === 0 ? first : add(first, mul(wave(2), { float: a2 })), result);
}
