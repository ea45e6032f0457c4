import type { ArgValue, TensorMeta } from "../tensor-meta.ts";

/** One call of infer-cases.golden.json. */
export type Row = readonly [op: string, args: Readonly<Record<string, unknown>>, results: unknown];

/** `"float32:2,3"` is a tensor, `{ float: "Infinity" }` a float that JSON cannot say. */
export function decode(value: unknown): ArgValue {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value === "object" && value !== null && "float" in value) return { float: Number(value.float) };
  const [, dtype, sizes] = /^([a-z]+\d*):([\d,]*)$/.exec(String(value)) ?? [];
  if (dtype === undefined) return value as ArgValue;
  return { dtype: dtype as TensorMeta["dtype"], shape: sizes === "" ? [] : sizes!.split(",").map(Number) };
}
