// Functions of the normal distribution, in double precision.
import { evaluateFloat } from "./functions.ts";

/** Computes exp(x²) erfc(x) without overflow. */
export function erfcx(x: number): number {
  if (x < 10) return Math.exp(x * x) * evaluateFloat("erfc", x);
  let sum = 1;
  let term = 1;
  for (let k = 1; k < 12; k++) {
    term *= -(2 * k - 1) / (2 * x * x);
    sum += term;
  }
  return sum / (x * Math.sqrt(Math.PI));
}

/** Computes the logarithm of the cumulative distribution function. */
export function logNdtr(x: number): number {
  const t = x * Math.SQRT1_2;
  if (x < -1) return Math.log(erfcx(-t) / 2) - t * t;
  return Math.log1p(-evaluateFloat("erfc", t) / 2);
}

/** Computes the inverse of the cumulative distribution function. */
export function ndtri(p: number): number {
  if (p === 0) return Number.NEGATIVE_INFINITY;
  if (p === 1) return Number.POSITIVE_INFINITY;
  if (!(p > 0 && p < 1)) return Number.NaN;
  if (p > 0.5) return p < 1 - 1e-3 ? Math.SQRT2 * evaluateFloat("erfinv", 2 * p - 1) : -tail(1 - p);
  return p > 1e-3 ? Math.SQRT2 * evaluateFloat("erfinv", 2 * p - 1) : tail(p);
}

/** Inverts the function for small p by Newton's method on its logarithm, which is almost a parabola there. */
function tail(p: number): number {
  const wanted = Math.log(p);
  let x = -Math.sqrt(-2 * wanted);
  for (let i = 0; i < 20; i++) {
    const value = logNdtr(x);
    const slope = Math.exp(-0.5 * x * x - value) / Math.sqrt(2 * Math.PI);
    const step = (value - wanted) / slope;
    x -= step;
    if (Math.abs(step) < 1e-14 * Math.abs(x)) break;
  }
  return x;
}
