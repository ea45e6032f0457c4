import { type Builder, isTensorMeta, type TensorMeta } from "@pt2/registry";
import { isComplex } from "../differentiable.ts";
import type { Call } from "../gradient-rule.ts";
import { summedTo } from "../scalar-gradient.ts";

/** An operand of an elementwise op: a tensor, or a number. */
export type Operand = Call["args"][string];

/** The conjugate of a tensor, which may be real. */
export const conj = (self: TensorMeta, b: Builder): TensorMeta =>
  isComplex(self) ? b.tensor("aten::conj_physical", { self }) : self;

/** The conjugate of an operand that may be a number. */
export const conjugateOf = (value: Operand, b: Builder): Operand => {
  if (isTensorMeta(value)) return conj(value, b);
  return isPair(value) ? { re: value.re, im: -value.im } : value;
};

export const times = (self: TensorMeta, other: Operand, b: Builder): TensorMeta =>
  b.tensor("aten::mul.Tensor", { self, other: other as TensorMeta });

/** The gradient of an operand that may have been broadcast; null where none is wanted, as of a number. */
export const gradientOf = (
  { args, wants }: Call,
  name: string,
  gradient: () => TensorMeta,
  b: Builder,
): TensorMeta | null => {
  const operand = args[name];
  return isTensorMeta(operand) && wants(name) ? summedTo(operand.shape, gradient(), b) : null;
};

function isPair(value: Operand): value is { readonly re: number; readonly im: number } {
  return typeof value === "object" && value !== null && "re" in value;
}
