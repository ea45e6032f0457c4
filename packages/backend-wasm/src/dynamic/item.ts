import { DTYPES } from "@pt2/format";
import type { DynamicKernel } from "../engine/dynamic-kernel.ts";
import type { HostData, RunValue } from "../engine/run-value.ts";
import { isTruthy, reader } from "./elements.ts";

/** `item()`: a Python int, float or bool, as the tensor's dtype says. */
export const item: DynamicKernel = {
  ops: ["aten::item", "aten::_local_scalar_dense"],
  run: ({ self }) => [scalarOf(self as HostData)],
};

export const isNonzero: DynamicKernel = {
  ops: ["aten::is_nonzero"],
  run: ({ self }) => [isTruthy(self as HostData)(0)],
};

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
