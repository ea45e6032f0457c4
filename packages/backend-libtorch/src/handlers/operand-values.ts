import type { DType } from "@pt2/format";
import type { ArgValue } from "@pt2/registry";
import type { NativeValue } from "../addon.ts";
import { isNativeTensor } from "../native-tensor.ts";

/** Converts values that a run computed to what rules read: metas for tensors, numbers as they are. */
export function operandValues(names: readonly string[], values: readonly NativeValue[]): ReadonlyMap<string, ArgValue> {
  return new Map(names.map((name, i) => [name, ruleValue(values[i] ?? null, name)]));
}

/** Returns a key that is equal for operands of which rules read the same. */
export function valueKey(values: readonly ArgValue[]): string {
  return values.map(keyOf).join(";");
}

function keyOf(value: ArgValue): string {
  if (isList(value)) return `(${valueKey(value)})`;
  if (typeof value !== "object" || value === null) return `${typeof value}:${String(value)}`;
  if ("shape" in value) return `${value.dtype}[${value.shape}]`;
  const parts = "float" in value ? [value.float] : [value.re, value.im];
  return parts.map((part) => (Object.is(part, -0) ? "-0." : `${part}.`)).join(",");
}

function ruleValue(value: NativeValue, name: string): ArgValue {
  if (isNativeTensor(value)) return { dtype: value.dtype as DType, shape: [...value.shape], name } as ArgValue;
  if (Array.isArray(value)) return value.map((item: NativeValue, i) => ruleValue(item, `${name}.${i}`));
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return typeof value === "number" ? { float: value } : (value as ArgValue);
}

function isList(value: ArgValue): value is readonly ArgValue[] {
  return Array.isArray(value);
}
