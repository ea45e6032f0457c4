import { numel } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { ArgValue, LoweredTensor } from "@pt2/registry";
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

/** What a plan depends on: shapes and dtypes of tensors, and the numbers themselves. */
export function planKey(values: readonly RunValue[]): string {
  return values.map(keyOf).join(";");
}

function keyOf(value: RunValue): string {
  if (isHostData(value)) return `${value.dtype}[${value.shape}]`;
  if (Array.isArray(value)) return `(${planKey(value)})`;
  return `${typeof value}:${JSON.stringify(value, (_, part: unknown) => exact(part))}`;
}

/** The tensors among values, those in lists included. */
export function hostDataIn(values: readonly RunValue[]): readonly HostData[] {
  return values.flatMap((value) => (isHostData(value) ? [value] : Array.isArray(value) ? hostDataIn(value) : []));
}

/** The lowered stand-in of a value: a tensor of the same meta, or the number itself. */
export function standIn(value: RunValue, name: string): ArgValue {
  if (Array.isArray(value)) return value.map((item: RunValue, i) => standIn(item, `${name}.${i}`));
  if (!isHostData(value)) return value;
  const tensor: LoweredTensor = { dtype: value.dtype, shape: value.shape, name };
  return tensor;
}

/** Number of elements. */
export function countOf(data: HostData): number {
  return numel(data.shape);
}
