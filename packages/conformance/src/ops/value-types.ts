import { numel } from "@pt2/backend";
import type { Arg, SymInt, TensorType, ValueType } from "@pt2/graph";
import type { CaseResult, CaseTensor } from "./case-types.ts";

/** Returns the type of a value that holds a tensor of a case; dense unless strides are given. */
export function tensorType(
  { dtype }: CaseTensor,
  shape: readonly SymInt[],
  strides: readonly SymInt[] = rowMajor(shape as readonly number[]),
  storageOffset = 0,
): TensorType {
  const device = { type: "cpu", index: null };
  return { kind: "tensor", dtype, shape, strides, storageOffset, device, requiresGrad: false };
}

function rowMajor(shape: readonly number[]): readonly number[] {
  return shape.map((_, d) => Math.max(1, numel(shape.slice(d + 1).map((size) => Math.max(1, size)))));
}

/** Returns the type of a value that holds a number. */
export function numberType(result: CaseResult): ValueType {
  if (typeof result === "boolean") return { kind: "symbool", value: null };
  const isInt = typeof result === "number" || (result !== null && "int" in result);
  return isInt ? { kind: "symint", value: null } : { kind: "symfloat", value: null };
}

/** Makes an argument that is a list of ints. */
export function ints(values: readonly number[]): Arg {
  return { kind: "list", items: values.map((value) => ({ kind: "int", value })) };
}
