import type { DType } from "@pt2/format";
import { check } from "../aten/support/check.ts";
import { numel } from "../aten/support/dims.ts";
import { emit, type Operand } from "../aten/support/emit.ts";
import type { Builder } from "../builder.ts";
import type { TensorMeta } from "../tensor-meta.ts";

/** Rounds to the nearest integer, ties to even. */
export function round(b: Builder, self: TensorMeta): TensorMeta {
  return b.tensor("aten::round", { self });
}

/** Clamps to a range of numbers, in the dtype of `self`. */
export function clamp(b: Builder, self: TensorMeta, min: number, max: number): TensorMeta {
  return b.tensor("aten::clamp", { self, min, max });
}

/** Computes `1 / x` in the dtype of `x`. */
export function reciprocal(b: Builder, self: TensorMeta): TensorMeta {
  return b.tensor("aten::reciprocal", { self });
}

/** Computes `clamp(round(x * inverse) + zero_point, min, max)` in float32, and converts to `dtype`. */
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

/** Converts the input of a quantization: half precision becomes float32, and integers are refused. */
export function floats(b: Builder, input: TensorMeta): TensorMeta {
  const { dtype } = input;
  const ok = dtype === "float32" || dtype === "float16" || dtype === "bfloat16";
  check(ok, () => `Expecting input to have dtype torch.float32, but got dtype: torch.${dtype}`);
  return emit(b).cast(input, "float32");
}

/** Refuses quantized tensors of another dtype than the op's argument. */
export function checkDtype(input: TensorMeta, dtype: DType): void {
  check(input.dtype === dtype, () => `Expecting input to have dtype: torch.${dtype}, but got torch.${input.dtype}`);
}

/** Returns the number in a tensor of one element as a 0-d tensor, like `item()` in PyTorch. */
export function item(b: Builder, name: string, tensor: TensorMeta): TensorMeta {
  const count = numel(tensor.shape);
  check(count === 1, () => `Expecting ${name} tensor to be one element, but received : ${count}`);
  return emit(b).reshape(tensor, []);
}
