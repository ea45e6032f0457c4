import { broadcastShapes } from "../../broadcast.ts";
import type { Builder } from "../../builder.ts";
import { partOf } from "../../dtype-promotion.ts";
import type { ArgValue, Scalar, TensorMeta } from "../../tensor-meta.ts";
import { isTensorMeta } from "../../wrapped.ts";
import { sameShape } from "./dims.ts";
import { isComplex } from "./dtypes.ts";
import { emit, type Operand } from "./emit.ts";

/** The real and the imaginary part of an operand; `im` is 0 for a real one. */
export interface Parts {
  readonly re: Operand;
  readonly im: Operand;
}

/** Splits an operand into its real and its imaginary part. */
export function partsOf(value: ArgValue, b: Builder): Parts {
  if (!isTensorMeta(value)) return numberParts(value as Scalar);
  if (value.wrapped !== undefined) return numberParts(value.wrapped);
  if (!isComplex(value.dtype)) return { re: value, im: 0 };
  return { re: b.tensor("aten::real", { self: value }), im: b.tensor("aten::imag", { self: value }) };
}

/** Combines real and imaginary parts into a complex tensor. */
export function joinParts({ re, im }: Parts, { dtype, shape }: TensorMeta, b: Builder): TensorMeta {
  const { cast, expand, full } = emit(b);
  const part = (x: Operand): Operand => (isTensorMeta(x) ? cast(x, partOf(dtype)) : x);
  const covered = broadcastShapes([re, im].map((x) => (isTensorMeta(x) ? x.shape : [])));
  // At least one of them must have the full shape and the dtype.
  const whole = (x: Operand): TensorMeta =>
    isTensorMeta(x) ? expand(cast(x, partOf(dtype)), shape) : full(shape, x, partOf(dtype));
  const all = sameShape(covered, shape) && (isTensorMeta(re) || isTensorMeta(im));
  return b.tensor("aten::complex", { real: all ? part(re) : whole(re), imag: part(im) });
}

function numberParts(value: Scalar): Parts {
  return typeof value === "object" && "re" in value
    ? { re: { float: value.re }, im: { float: value.im } }
    : { re: value, im: 0 };
}
