import { numel } from "@pt2/format";
import { type Call, isTensor } from "@pt2/registry";
import { keyOf } from "@pt2/registry/scalar";

/**
 * The bytes of the largest tensor that is worth computing once instead of in each forward when no weight goes into it.
 */
const MAX_GENERATED = 1 << 22;

/** Whether a call gives the same value whenever its operands are the same, so that it may run once. */
export function isPure(call: Call): boolean {
  if (call.record.impure === true) return false;
  const reads = Object.values(call.args).some((arg) => isTensor(arg) || (Array.isArray(arg) && arg.some(isTensor)));
  const size = call.results.reduce<number>((n, r) => (isTensor(r) ? n + numel(r.shape) : n), 0);
  return reads || size <= MAX_GENERATED;
}

/** Returns a key of what a call computes from its operands. */
export function callKey({ record, args, scalar }: Call): string {
  const numbers = (_: string, value: unknown): unknown => (isTensor(value) ? "tensor" : exact(value));
  return `${record.name}|${scalar === undefined ? JSON.stringify(args, numbers) : keyOf(scalar.expr)}`;
}

/**
 * Returns a value that `JSON.stringify` writes differently from every other one: JSON has no bigint, -0, NaN or
 * infinity.
 */
export function exact(value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "number") return value;
  return Object.is(value, -0) ? "-0" : Number.isFinite(value) ? value : String(value);
}
