import type { ArgValue, Builder } from "../../builder.ts";
import { partOf } from "../../dtype-promotion.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { isTensorMeta } from "../../wrapped.ts";
import { isComplex } from "./dtypes.ts";
import { emit, type Operand } from "./emit.ts";

/** A complex operand as two real ones; `im` is 0 for a real operand. */
export interface Parts {
  readonly re: Operand;
  readonly im: Operand;
}

/** Takes an operand apart. */
export function partsOf(value: ArgValue, b: Builder): Parts {
  if (!isTensorMeta(value)) return numberParts(value as Scalar);
  if (value.wrapped !== undefined) return numberParts(value.wrapped);
  if (!isComplex(value.dtype)) return { re: value, im: 0 };
  const pairs = b.tensor("aten::view_as_real", { self: value });
  const { select } = emit(b);
  return { re: select(pairs, -1, 0), im: select(pairs, -1, 1) };
}

/** Puts a complex tensor together. */
export function joinParts({ re, im }: Parts, { dtype, shape }: TensorMeta, b: Builder): TensorMeta {
  const { cast, expand, full, unsqueeze, cat } = emit(b);
  const part = (x: Operand): TensorMeta =>
    unsqueeze(isTensorMeta(x) ? expand(cast(x, partOf(dtype)), shape) : full(shape, x, partOf(dtype)), -1);
  return b.tensor("aten::view_as_complex", { self: cat([part(re), part(im)], shape.length) });
}

function numberParts(value: Scalar): Parts {
  return typeof value === "object" && "re" in value
    ? { re: { float: value.re }, im: { float: value.im } }
    : { re: value, im: 0 };
}
