import { exact, numberOf } from "@pt2/engine";
import { DTYPES, type DType } from "@pt2/format";
import type { Scalar } from "@pt2/registry";
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
