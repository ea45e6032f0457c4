import { DTYPES, type DType } from "@pt2/format";
import type { Scalar } from "@pt2/registry";
import { exact } from "./call-key.ts";
import { writeElement } from "./elements.ts";
import type { Place } from "./place.ts";
import type { ConstantSource } from "./services.ts";

/** A number as a 0-d tensor. */
export function scalarConstant(pool: ConstantSource, dtype: DType, value: Scalar): Place {
  const number = numberOf(value);
  const text = JSON.stringify(value, (_, part: unknown) => exact(part));
  const buffer = pool.derive(`scalar:${dtype}:${text}`, DTYPES[dtype].itemsize, [], (ctx, to) => {
    ctx.step(() => writeElement(ctx.heap, dtype, to.address(), number));
  });
  return { dtype, shape: [], strides: [], offset: 0, buffer };
}

/** A scalar argument as a plain number; a complex one keeps its real part only where the dtype is real. */
export function numberOf(value: Scalar): number | bigint {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "object") return value;
  return "float" in value ? value.float : value.re;
}
