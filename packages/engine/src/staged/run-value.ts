import type { DType } from "@pt2/format";
import type { ArgValue, Scalar } from "@pt2/registry";
import { exact } from "./call-key.ts";

/** The type of a tensor in a plan. */
export interface TensorType {
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** A tensor outside the memory of plans: row-major bytes. */
export interface HostData extends TensorType {
  readonly bytes: Uint8Array;
}

/** A tensor outside the memory of plans, on the device of a backend; only that backend can use `handle`. */
export interface DeviceData extends TensorType {
  readonly handle: object;
}

/** A tensor outside the memory of plans. */
export type TensorData = HostData | DeviceData;

/** What enters and leaves a graph. */
export type RunValue = TensorData | ArgValue;

/** Whether a value is a tensor with its data in host memory. */
export function isHostData(value: unknown): value is HostData {
  return typeof value === "object" && value !== null && "bytes" in value;
}

/** Whether a value is a tensor with its data on a device. */
export function isDeviceData(value: unknown): value is DeviceData {
  return typeof value === "object" && value !== null && "handle" in value;
}

/** Whether a value is a tensor with its data, wherever that is. */
export function isTensorData(value: unknown): value is TensorData {
  return isHostData(value) || isDeviceData(value);
}

/** Returns the key of what a plan depends on: shapes and dtypes of tensors, and the kinds of numbers. */
export function planKey(values: readonly RunValue[]): string {
  return values.map(keyOf).join(";");
}

function keyOf(value: RunValue): string {
  if (isTensorData(value)) return `${value.dtype}[${value.shape}]`;
  if (Array.isArray(value)) return `(${planKey(value)})`;
  if (isRealNumber(value)) return kindOf(value);
  return `${typeof value}:${JSON.stringify(value, (_, part: unknown) => exact(part))}`;
}

/**
 * Whether a value is a number that may change from run to run under one plan. Complex numbers are written into plans.
 */
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

/** Returns the tensors among values, those in lists included. */
export function tensorDataIn(values: readonly RunValue[]): readonly TensorData[] {
  // Most graphs are given nothing else.
  if (values.every(isTensorData)) return values;
  return values.flatMap((value) => (isTensorData(value) ? [value] : Array.isArray(value) ? tensorDataIn(value) : []));
}

/** Returns a scalar argument as a plain number; of a complex one its real part. */
export function numberOf(value: Scalar): number | bigint {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "object") return value;
  return "float" in value ? value.float : value.re;
}
