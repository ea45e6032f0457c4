import { denseStrides, isDense, type Layout, sameStrides } from "@pt2/engine";
import { contiguousStrides } from "@pt2/format";

/**
 * Returns strides for the result of an elementwise loop: dense ones in the order of the first operand of the same shape, so
 * that channels-last stays channels-last, also of some of the channels; else row-major ones. Dense operands come before
 * others, and such that are `preferred` before these.
 */
export function resultStrides<Operand extends Layout>(
  shape: readonly number[],
  inputs: readonly Operand[],
  preferred: (input: Operand) => boolean,
): readonly number[] {
  const whole = inputs.filter(
    (input) => input.shape.length === shape.length && input.shape.every((size, i) => size === shape[i]),
  );
  const dense = whole.filter(({ strides }) => isDense(shape, strides));
  const model =
    dense.find(preferred) ?? whole.find((input) => preferred(input) && isSpread(shape, input.strides)) ?? dense[0];
  if (model === undefined) return contiguousStrides(shape);
  // Dimensions of size 1 may carry any stride, so they get one that a dense tensor could have.
  const row = contiguousStrides(shape);
  return sameStrides(shape, model.strides, row) ? row : denseStrides(shape, model);
}

/** Whether no two elements of a tensor lie in one place, and none of a dimension lies within another's step. */
function isSpread(shape: readonly number[], strides: readonly number[]): boolean {
  const dims = shape.map((size, i) => ({ size, stride: strides[i]! })).filter(({ size }) => size !== 1);
  dims.sort((a, b) => a.stride - b.stride);
  let least = 1;
  for (const { size, stride } of dims) {
    if (stride < least) return false;
    least = stride * size;
  }
  return true;
}
