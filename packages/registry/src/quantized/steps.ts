import type { DType } from "@pt2/format";
import { check } from "../aten/support/check.ts";
import { numel } from "../aten/support/dims.ts";
import { emit, type Operand } from "../aten/support/emit.ts";
import type { Builder } from "../builder.ts";
import type { TensorMeta } from "../tensor-meta.ts";

/** To the nearest integer, ties to even. */
export function round(b: Builder, self: TensorMeta): TensorMeta {
  return b.tensor("aten::round", { self });
}

/** Between numbers, in the dtype of `self`. */
export function clamp(b: Builder, self: TensorMeta, min: number, max: number): TensorMeta {
  return b.tensor("aten::clamp", { self, min, max });
}

/** `1 / x` in the dtype of `x`. */
export function reciprocal(b: Builder, self: TensorMeta): TensorMeta {
  return b.tensor("aten::reciprocal", { self });
}

/** `clamp(round(x * inverse) + zero_point, min, max)` in float32, as `dtype`. */
export function quantize(
  b: Builder,
  x: TensorMeta,
  inverse: Operand,
  zeroPoint: Operand,
  [min, max]: readonly [number, number],
  dtype: DType,
): TensorMeta {
  const e = emit(b);
  return e.cast(clamp(b, e.add(round(b, e.mul(x, inverse)), zeroPoint), min, max), dtype);
}

/** What is quantised: half precision becomes float32 from here on, other dtypes are refused. */
export function floats(b: Builder, input: TensorMeta): TensorMeta {
  const { dtype } = input;
  const ok = dtype === "float32" || dtype === "float16" || dtype === "bfloat16";
  check(ok, () => `Expecting input to have dtype torch.float32, but got dtype: torch.${dtype}`);
  return emit(b).cast(input, "float32");
}

/** Refuses what was quantised to another dtype than the op says. */
export function checkDtype(input: TensorMeta, dtype: DType): void {
  check(input.dtype === dtype, () => `Expecting input to have dtype: torch.${dtype}, but got torch.${input.dtype}`);
}

/** The number that a tensor of one element holds, as a 0-d tensor: what `item()` is to PyTorch. */
export function item(b: Builder, name: string, tensor: TensorMeta): TensorMeta {
  const count = numel(tensor.shape);
  check(count === 1, () => `Expecting ${name} tensor to be one element, but received : ${count}`);
  return emit(b).reshape(tensor, []);
}
