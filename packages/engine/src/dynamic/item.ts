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
  const [x, y] = [reader(a), reader(b)];
  const count = numel(a.shape) * (DTYPES[a.dtype].kind === "complex" ? 2 : 1);
  for (let i = 0; i < count; i++) if (x(i) !== y(i)) return [false];
  return [true];
});

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
