import { numel } from "@pt2/backend";
import { DTYPES } from "@pt2/format";
import { type DynamicKernel, dynamicKernel } from "../staged/dynamic-kernel.ts";
import type { HostData, RunValue } from "../staged/run-value.ts";
import { isTruthy, reader } from "./elements.ts";

/** `item()`: a Python int, float or bool, as the tensor's dtype says. */
export const item: DynamicKernel = dynamicKernel(["aten::item", "aten::_local_scalar_dense"], ({ self }) => [
  scalarOf(self),
]);

export const isNonzero: DynamicKernel = dynamicKernel(["aten::is_nonzero"], ({ self }) => [isTruthy(self)(0)]);

/** `equal(self, other)`: the same shape and the same elements; NaN equals nothing. */
export const equal: DynamicKernel = dynamicKernel(["aten::equal"], ({ self: a, other: b }) => {
  if (a.shape.length !== b.shape.length || a.shape.some((size, d) => size !== b.shape[d])) return [false];
  const [x, y] = [partsOf(a), partsOf(b)];
  for (let i = 0; i < numel(a.shape); i++)
    if (!isSame(x.real(i), y.real(i)) || !isSame(x.imag(i), y.imag(i))) return [false];
  return [true];
});

/** Reads real and imaginary parts of elements. */
function partsOf(tensor: HostData): Readonly<Record<"real" | "imag", (index: number) => number | bigint>> {
  const read = reader(tensor);
  if (DTYPES[tensor.dtype].kind !== "complex") return { real: read, imag: () => 0 };
  return { real: (index) => read(2 * index), imag: (index) => read(2 * index + 1) };
}

/** Compares elements that may be of two dtypes: a bigint is the number of the same value. */
function isSame(x: number | bigint, y: number | bigint): boolean {
  return x === y || (typeof x !== typeof y && Number(x) === Number(y));
}

function scalarOf(tensor: HostData): RunValue {
  const value = reader(tensor)(0);
  switch (DTYPES[tensor.dtype].kind) {
    case "bool":
      return value !== 0;
    case "float":
      return { float: Number(value) };
    default:
      return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
}
