import type { Builder } from "../../builder.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { isTensorMeta } from "../../wrapped.ts";
import type { Parts } from "../support/complex-parts.ts";
import { toNumber } from "../support/dtypes.ts";
import { emit, type Operand } from "../support/emit.ts";

/** A function of one complex number, in terms of its real and imaginary parts. */
export type ComplexFunction = (b: Builder, x: Parts) => Parts;

const real = (b: Builder, x: Operand): TensorMeta => (isTensorMeta(x) ? x : emit(b).full([], x, "float32"));
type Real = "asinh" | "cos" | "cosh" | "exp" | "sin" | "sinh" | "tanh";
const apply = (b: Builder, name: Real, x: Operand): TensorMeta => b.tensor(`aten::${name}`, { self: real(b, x) });
const atan2 = (b: Builder, y: Operand, x: Operand): TensorMeta =>
  b.tensor("aten::atan2", { self: real(b, y), other: real(b, x) });
const negated = (b: Builder, x: Operand): TensorMeta => emit(b).neg(real(b, x));

/** Returns i·x and -i·x. */
const timesI = (b: Builder, { re, im }: Parts): Parts => ({ re: negated(b, im), im: re });
const overI = (b: Builder, { re, im }: Parts): Parts => ({ re: im, im: negated(b, re) });

/** Computes size · sin(im), which is zero for real numbers, however large the size. */
const timesSine = (b: Builder, size: TensorMeta, im: Operand): TensorMeta => {
  const e = emit(b);
  return e.where(e.eq(real(b, im), 0), im, e.mul(size, apply(b, "sin", im)));
};

const sinh: ComplexFunction = (b, { re, im }) => ({
  re: emit(b).mul(apply(b, "sinh", re), apply(b, "cos", im)),
  im: timesSine(b, apply(b, "cosh", re), im),
});

const cosh: ComplexFunction = (b, { re, im }) => ({
  re: emit(b).mul(apply(b, "cosh", re), apply(b, "cos", im)),
  im: timesSine(b, apply(b, "sinh", re), im),
});

/** Computes (sinh 2a + i sin 2b) / (cosh 2a + cos 2b), in which nothing cancels. */
const tanh: ComplexFunction = (b, { re, im }) => {
  const e = emit(b);
  const [t, c] = [apply(b, "tanh", re), apply(b, "cos", im)];
  // Both sides are divided by cosh² a, so that large parts do not overflow.
  const sech = e.sub(1, e.mul(t, t));
  const below = e.add(e.mul(c, c), e.mul(e.mul(t, t), e.sub(1, e.mul(c, c))));
  const s = apply(b, "sin", im);
  return { re: e.div(t, below), im: e.div(e.mul(e.mul(s, c), sech), below) };
};

const log: ComplexFunction = (b, { re, im }) => {
  // Of a number it is one, in double precision.
  if (!isTensorMeta(re) && !isTensorMeta(im)) {
    const [x, y] = [toNumber(re), toNumber(im)];
    return { re: { float: Math.log(Math.hypot(x, y)) }, im: { float: Math.atan2(y, x) } };
  }
  return { re: emit(b).log(complexSize(b, { re, im })), im: atan2(b, im, re) };
};

const exp: ComplexFunction = (b, { re, im }) => {
  const size = apply(b, "exp", re);
  return { re: emit(b).mul(size, apply(b, "cos", im)), im: timesSine(b, size, im) };
};

/** Computes the root whose real part is not negative. */
const sqrt: ComplexFunction = (b, { re, im }) => {
  const e = emit(b);
  const size = e.add(complexSize(b, { re, im }), e.abs(real(b, re)));
  const large = e.sqrt(e.mul(size, { float: 0.5 }));
  const small = e.where(e.eq(large, 0), im, e.div(e.mul(im, { float: 0.5 }), large));
  const turned = b.tensor("aten::copysign.Tensor", { self: large, other: real(b, im) });
  const right = e.ge(re, 0);
  return { re: e.where(right, large, e.abs(small)), im: e.where(right, small, turned) };
};

/** Computes the conjugate of x, times y. */
const conjugateTimes = (b: Builder, x: Parts, y: Parts): Parts => {
  const e = emit(b);
  return {
    re: e.add(e.mul(x.re, y.re), e.mul(x.im, y.im)),
    im: e.sub(e.mul(x.re, y.im), e.mul(x.im, y.re)),
  };
};

// Uses Kahan's formulas, whose roots keep the bits that a difference of squares would cancel.
const acos: ComplexFunction = (b, x) => {
  const [minus, plus] = [sqrt(b, plusOne(b, negative(b, x))), sqrt(b, plusOne(b, x))];
  return {
    re: emit(b).mul(atan2(b, minus.re, plus.re), 2),
    im: apply(b, "asinh", conjugateTimes(b, plus, minus).im),
  };
};

const asin: ComplexFunction = (b, x) => {
  const [minus, plus] = [sqrt(b, plusOne(b, negative(b, x))), sqrt(b, plusOne(b, x))];
  const { mul, sub } = emit(b);
  return {
    re: atan2(b, x.re, sub(mul(minus.re, plus.re), mul(minus.im, plus.im))),
    im: apply(b, "asinh", conjugateTimes(b, minus, plus).im),
  };
};

const acosh: ComplexFunction = (b, x) => {
  const [minus, plus] = [sqrt(b, minusOne(b, x)), sqrt(b, plusOne(b, x))];
  return {
    re: apply(b, "asinh", conjugateTimes(b, minus, plus).re),
    im: emit(b).mul(atan2(b, minus.im, plus.re), 2),
  };
};

/** Its real part has the sign of `re`. Next to the poles a logarithm of nearly zero would lose what one of much keeps. */
const atanh: ComplexFunction = (b, { re, im }) => {
  const { abs, add, div, log1p, mul, sub } = emit(b);
  const size = abs(real(b, re));
  const [left, squared] = [sub(1, size), mul(im, im)];
  const apart = div(mul(size, 4), add(mul(left, left), squared));
  const far = mul(log1p(apart), { float: 0.25 });
  return {
    re: b.tensor("aten::copysign.Tensor", { self: far, other: real(b, re) }),
    im: mul(atan2(b, mul(im, 2), sub(mul(left, add(size, 1)), squared)), { float: 0.5 }),
  };
};

const scaledLog =
  (factor: number): ComplexFunction =>
  (b, x) => {
    const { re, im } = log(b, x);
    return { re: emit(b).mul(re, { float: factor }), im: emit(b).mul(im, { float: factor }) };
  };

/** Computes expm1(re) cos(im) - 2 sin²(im / 2), in which nothing near zero cancels. */
const expm1: ComplexFunction = (b, { re, im }) => {
  const e = emit(b);
  const half = apply(b, "sin", e.mul(real(b, im), { float: 0.5 }));
  const grown = e.mul(e.expm1(real(b, re)), apply(b, "cos", im));
  return { re: e.sub(grown, e.mul(e.mul(half, half), 2)), im: exp(b, { re, im }).im };
};

/** Near zero the square of the size of 1 + x is 1 + re (2 + re) + im², whose ones would cancel. */
const log1p: ComplexFunction = (b, { re, im }) => {
  const e = emit(b);
  const near = e.mul(e.log1p(e.add(e.mul(re, e.add(re, 2)), e.mul(im, im))), { float: 0.5 });
  const far = log(b, plusOne(b, { re, im }));
  return { re: e.where(e.lt(complexSize(b, { re, im }), { float: 0.5 }), near, far.re), im: far.im };
};

const reciprocal: ComplexFunction = (b, x) => complexQuotient(b, { re: 1, im: 0 }, x);

const plusOne = (b: Builder, { re, im }: Parts): Parts => ({ re: emit(b).add(re, 1), im });
const minusOne = (b: Builder, { re, im }: Parts): Parts => ({ re: emit(b).sub(re, 1), im });
const negative = (b: Builder, { re, im }: Parts): Parts => ({ re: negated(b, re), im: negated(b, im) });

const sigmoid: ComplexFunction = (b, x) => reciprocal(b, plusOne(b, exp(b, negative(b, x))));

/** The functions by PyTorch's names. */
export const COMPLEX_FUNCTIONS: Readonly<Record<string, ComplexFunction>> = {
  exp,
  reciprocal,
  sinh,
  cosh,
  tanh,
  sin: (b, x) => overI(b, sinh(b, timesI(b, x))),
  cos: (b, x) => cosh(b, timesI(b, x)),
  tan: (b, x) => overI(b, tanh(b, timesI(b, x))),
  exp2: (b, { re, im }) =>
    exp(b, { re: emit(b).mul(re, { float: Math.LN2 }), im: emit(b).mul(im, { float: Math.LN2 }) }),
  expm1,
  log,
  log2: scaledLog(Math.LOG2E),
  log10: scaledLog(Math.LOG10E),
  log1p,
  acos,
  acosh,
  asin,
  asinh: (b, x) => overI(b, asin(b, timesI(b, x))),
  atan: (b, x) => overI(b, atanh(b, timesI(b, x))),
  atanh,
  sqrt,
  rsqrt: (b, x) => reciprocal(b, sqrt(b, x)),
  sigmoid,
};

/** Synonyms of these functions. */
export const COMPLEX_SYNONYMS: readonly (readonly [name: string, of: string])[] = [
  ...["cos", "sin", "tan"].flatMap((name) => [
    [`arc${name}`, `a${name}`] as const,
    [`arc${name}h`, `a${name}h`] as const,
  ]),
  ["special_exp2", "exp2"],
  ["special_expm1", "expm1"],
  ["special_log1p", "log1p"],
  ["special_expit", "sigmoid"],
];

/** Computes x to the power y by the logarithm. */
export function complexPower(b: Builder, x: Parts, y: Parts): Parts {
  const e = emit(b);
  const { re, im } = log(b, x);
  const result = exp(b, { re: e.sub(e.mul(re, y.re), e.mul(im, y.im)), im: e.add(e.mul(re, y.im), e.mul(im, y.re)) });
  const zero = e.mul(e.eq(real(b, x.re), 0), e.eq(real(b, x.im), 0));
  const none = e.mul(e.eq(real(b, y.re), 0), e.eq(real(b, y.im), 0));
  const at = (value: Operand, one: number): TensorMeta =>
    e.where(none, { float: one }, e.where(zero, { float: 0 }, real(b, value)));
  return { re: at(result.re, 1), im: at(result.im, 0) };
}

/** Computes x / y by Smith's method: a sum of the squares of y's parts could be out of range where the quotient is not. */
export function complexQuotient(b: Builder, x: Parts, y: Parts): Parts {
  const { abs, add, div, eq, lt, mul, sub, where } = emit(b);
  if (y.im === 0) return { re: div(x.re, y.re), im: div(x.im, y.re) };
  const swapped = lt(abs(real(b, y.re)), abs(real(b, y.im)));
  const [large, small] = [where(swapped, y.im, y.re), where(swapped, y.re, y.im)];
  const ratio = div(small, large);
  const size = add(large, mul(small, ratio));
  const re = where(swapped, add(mul(x.re, ratio), x.im), add(x.re, mul(x.im, ratio)));
  const im = where(swapped, sub(mul(x.im, ratio), x.re), sub(x.im, mul(x.re, ratio)));
  const byZero = eq(large, 0);
  const part = (quotient: TensorMeta, of: Operand): TensorMeta =>
    div(where(byZero, of, quotient), where(byZero, large, size));
  return { re: part(re, x.re), im: part(im, x.im) };
}

/** Computes the absolute value without intermediate overflow. */
export function complexSize(b: Builder, { re, im }: Parts): TensorMeta {
  return b.tensor("aten::hypot", { self: real(b, re), other: real(b, im) });
}
