import { DEFAULT_DTYPE } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord, type Requirements } from "../../op.ts";
import { emit } from "../support/emit.ts";

const FLOATS: Requirements = {
  choices: { dtype: ["float16", "bfloat16", "float32", "float64", "complex32", "complex64", "complex128"] },
};

/** Defines the ops that return the frequencies of a transform. */
export const FREQUENCY_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::fft_fftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      requires: FLOATS,
      decompose: ({ n, d, dtype }, b) => {
        const e = emit(b);
        const at = e.arange(n, dtype ?? DEFAULT_DTYPE);
        const signed = e.where(e.lt(at, Math.floor((n + 1) / 2)), at, e.sub(at, n));
        return e.mul(signed, { float: 1 / (n * d) });
      },
    },
  ),
  defineOp(
    "aten::fft_rfftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      requires: FLOATS,
      decompose: ({ n, d, dtype }, b) => {
        const e = emit(b);
        return e.mul(e.arange(Math.floor(n / 2) + 1, dtype ?? DEFAULT_DTYPE), { float: 1 / (n * d) });
      },
    },
  ),
];
