import { numel } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { ArgValue, Scalar } from "@pt2/registry";
import { exact } from "./call-key.ts";

/** A tensor outside the heap: row-major bytes. */
export interface HostData {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** What enters and leaves a graph. */
export type RunValue = HostData | ArgValue;

/** Whether a value is a tensor with its data. */
export function isHostData(value: unknown): value is HostData {
  return typeof value === "object" && value !== null && "bytes" in value;
}

/** What a plan depends on: shapes and dtypes of tensors, and the kinds of numbers. */
export function planKey(values: readonly RunValue[]): string {
  return values.map(keyOf).join(";");
}

function keyOf(value: RunValue): string {
  if (isHostData(value)) return `${value.dtype}[${value.shape}]`;
  if (Array.isArray(value)) return `(${planKey(value)})`;
  if (isRealNumber(value)) return kindOf(value);
  return `${typeof value}:${JSON.stringify(value, (_, part: unknown) => exact(part))}`;
}

/** Whether a value is a number that may change from run to run under one plan. Complex ones are written into plans. */
export function isRealNumber(value: RunValue): value is RealNumber {
  if (typeof value === "object") return value !== null && "float" in value;
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
}

/** An int, a float or a bool. */
export type RealNumber = Exclude<Scalar, { readonly re: number }>;

function kindOf(value: RealNumber): string {
  if (typeof value === "boolean") return "bool";
  return typeof value === "object" || (typeof value === "number" && !Number.isInteger(value)) ? "float" : "int";
}

/** The tensors among values, those in lists included. */
export function hostDataIn(values: readonly RunValue[]): readonly HostData[] {
  return values.flatMap((value) => (isHostData(value) ? [value] : Array.isArray(value) ? hostDataIn(value) : []));
}

/** Number of elements. */
export function countOf(data: HostData): number {
  return numel(data.shape);
}
