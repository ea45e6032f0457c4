// The incomplete gamma functions and their relatives, in double precision.
import { evaluateFloat } from "./functions.ts";

const lgamma = (x: number): number => evaluateFloat("lgamma", x);

/** Q(a, x), the regularized upper incomplete gamma function: `igammac`. */
export function gammaUpper(a: number, x: number): number {
  const edge = gammaEdge(a, x);
  if (edge !== null) return 1 - edge;
  return x < a + 1 ? 1 - lowerSeries(a, x) : upperFraction(a, x);
}

/** P(a, x), the regularized lower incomplete gamma function: `igamma`. */
export function gammaLower(a: number, x: number): number {
  const edge = gammaEdge(a, x);
  if (edge !== null) return edge;
  return x < a + 1 ? lowerSeries(a, x) : 1 - upperFraction(a, x);
}

/** Returns P if an argument is at a bound of its range or outside it, else null. */
function gammaEdge(a: number, x: number): number | null {
  if (Number.isNaN(a) || Number.isNaN(x) || x < 0 || a < 0) return Number.NaN;
  if (a === 0) return x > 0 ? 1 : Number.NaN;
  if (x === 0) return 0;
  if (a === Number.POSITIVE_INFINITY) return x === Number.POSITIVE_INFINITY ? Number.NaN : 0;
  return x === Number.POSITIVE_INFINITY ? 1 : null;
}

/** Computes x^a e^-x / Γ(a). */
function gammaFront(a: number, x: number): number {
  return Math.exp(a * Math.log(x) - x - lgamma(a));
}

function lowerSeries(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = a + 1; term > sum * 1e-17 && n < a + 10_000; n++) {
    term *= x / n;
    sum += term;
  }
  return gammaFront(a, x) * sum;
}

/** Legendre's continued fraction, evaluated by Lentz's method. */
function upperFraction(a: number, x: number): number {
  const tiny = 1e-300;
  let b = x + 1 - a;
  let c = 1 / tiny;
  let d = 1 / b;
  let h = d;
  for (let i = 1; i < 10_000; i++) {
    const an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b || tiny);
    c = b + an / c || tiny;
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return gammaFront(a, x) * h;
}

const BERNOULLI = [
  1 / 6,
  -1 / 30,
  1 / 42,
  -1 / 30,
  5 / 66,
  -691 / 2730,
  7 / 6,
  -3617 / 510,
  43867 / 798,
  -174611 / 330,
];

/** Further below zero than this, terms are not added one by one, because there may be any number of them. */
const FAR_BELOW = 64;

/** Hurwitz's zeta function Σ (q + n)^-x, as PyTorch extends it. */
export function zeta(x: number, q: number): number {
  if (x === 1) return Number.POSITIVE_INFINITY;
  if (!(x > 1)) return Number.NaN;
  if (q <= 0) {
    if (q === Math.floor(q)) return Number.POSITIVE_INFINITY;
    if (x !== Math.floor(x)) return Number.NaN;
  }
  // Terms are added one by one up to 12; the Euler-Maclaurin formula gives the sum of the smooth rest.
  let sum = 0;
  let at = q;
  if (q < -FAR_BELOW) {
    // The terms below zero equal terms of a positive q, times (-1)^x.
    at = q + Math.ceil(-q - FAR_BELOW);
    const below = zeta(x, 1 - at) - zeta(x, 1 - q);
    sum = x % 2 === 0 ? below : -below;
  }
  for (; at < 12; at++) sum += at ** -x;
  sum += at ** (1 - x) / (x - 1) + 0.5 * at ** -x;
  let factor = x * at ** (-x - 1);
  let factorial = 2;
  for (const [k, bernoulli] of BERNOULLI.entries()) {
    sum += (bernoulli * factor) / factorial;
    const next = 2 * k + 1;
    factor *= ((x + next) * (x + next + 1)) / (at * at);
    factorial *= (next + 2) * (next + 3);
  }
  return sum;
}
