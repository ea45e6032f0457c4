// Implements the logarithm of the gamma function, and its derivative, in double precision.
import { polynomial } from "./polynomial.ts";

/** Computes the logarithm of the absolute value of the gamma function. */
export function lgamma(x: number): number {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? x : Number.POSITIVE_INFINITY;
  if (x <= 0 && Number.isInteger(x)) return Number.POSITIVE_INFINITY;
  if (x === 1 || x === 2) return 0;
  if (Math.abs(x) < 1e-17) return -Math.log(Math.abs(x));
  // The distance from the nearest pole keeps its digits.
  if (x < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * (x - Math.round(x))))) - lgamma(1 - x);
  // Near the zeros at 1 and 2 the recurrence would cancel; the Taylor series in zeta values does not.
  if (Math.abs(x - 1) < 0.3) return lgammaNearOne(x - 1);
  if (Math.abs(x - 2) < 0.3) return lgammaNearOne(x - 2) + Math.log1p(x - 2);
  let shifted = x;
  let product = 1;
  while (shifted < 10) {
    product *= shifted;
    shifted += 1;
  }
  const r = 1 / (shifted * shifted);
  const series = polynomial(r, [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156]) / shifted;
  return (shifted - 0.5) * Math.log(shifted) - shifted + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product);
}

const EULER = 0.5772156649015329;

/** Computes lgamma(1 + e) = -γe + Σ ζ(k)(-e)^k / k. */
function lgammaNearOne(e: number): number {
  let sum = -EULER * e;
  let power = -e;
  for (let k = 2; k < 40; k++) {
    power *= -e;
    sum += (zeta(k) * power) / k;
  }
  return sum;
}

const ZETA: readonly number[] = Array.from({ length: 40 }, (_, k) => {
  if (k < 2) return 0;
  // This is the Euler-Maclaurin formula from n = 20 on.
  let sum = 0;
  for (let n = 1; n < 20; n++) sum += n ** -k;
  return (
    sum +
    20 ** (1 - k) / (k - 1) +
    0.5 * 20 ** -k +
    (k / 12) * 20 ** (-k - 1) -
    ((k * (k + 1) * (k + 2)) / 720) * 20 ** (-k - 3)
  );
});

const zeta = (k: number): number => ZETA[k] as number;

/** Computes the derivative of lgamma. */
export function digamma(x: number): number {
  if (x === 0) return Object.is(x, -0) ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  if (x < 0) {
    if (Number.isInteger(x) || x === Number.NEGATIVE_INFINITY) return Number.NaN;
    return digamma(1 - x) - Math.PI / Math.tan(Math.PI * (x % 1));
  }
  let shifted = x;
  let sum = 0;
  while (shifted < 10) {
    sum -= 1 / shifted;
    shifted += 1;
  }
  const r = 1 / (shifted * shifted);
  const series = polynomial(r, [1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12]) * r;
  return sum + Math.log(shifted) - 0.5 / shifted - series;
}
