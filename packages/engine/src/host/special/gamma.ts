// The incomplete gamma functions and their relatives, in double precision.
import { FLOAT_UNARY, polynomial } from "@pt2/registry/scalar";

const { erfc, lgamma } = FLOAT_UNARY;

/** Q(a, x), the regularized upper incomplete gamma function: `igammac`. */
export function gammaUpper(a: number, x: number): number {
  const edge = gammaEdge(a, x);
  if (edge !== null) return 1 - edge;
  if (isNear(a, x)) return nearby(a, x).upper;
  return x < a + 1 ? 1 - lowerSeries(a, x) : upperFraction(a, x);
}

/** P(a, x), the regularized lower incomplete gamma function: `igamma`. */
export function gammaLower(a: number, x: number): number {
  const edge = gammaEdge(a, x);
  if (edge !== null) return edge;
  if (isNear(a, x)) return nearby(a, x).lower;
  return x < a + 1 ? lowerSeries(a, x) : 1 - upperFraction(a, x);
}

/** Returns P if an argument is at a bound of its range or outside it, else null. */
function gammaEdge(a: number, x: number): number | null {
  if (Number.isNaN(a) || Number.isNaN(x) || x < 0 || a < 0) return Number.NaN;
  if (a === 0) return x > 0 ? 1 : Number.NaN;
  if (x === 0) return 0;
  // The series would divide by it.
  if (a < 2 ** -1000) return 1;
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

/** Returns whether the series below take many terms, and Temme's expansion few. */
function isNear(a: number, x: number): boolean {
  return a > 200 && Math.abs(x - a) < a / 2;
}

/** Σ TEMME[k][n] η^n a^-k is what Temme's expansion adds to the normal distribution (DLMF 8.12.7 to 8.12.12). */
const TEMME: readonly (readonly number[])[] = [
  [
    -1 / 3,
    1 / 12,
    -0.014814814814814815,
    0.0011574074074074073,
    0.0003527336860670194,
    -0.0001787551440329218,
    0.00003919263178522438,
    -2.185448510679992e-6,
    -1.85406221071516e-6,
    8.296711340953087e-7,
    -1.7665952736826078e-7,
    6.707853543401498e-9,
    1.0261809784240309e-8,
    -4.382036018453353e-9,
    9.14769958223679e-10,
  ],
  [
    -0.001851851851851852, -0.003472222222222222, 0.0026455026455026454, -0.0009902263374485596, 0.00020576131687242798,
    -4.018775720164609e-7, -0.000018098550334489977, 7.64916091608111e-6, -1.6120900894563446e-6, 4.647127802807434e-9,
    1.378633446915721e-7, -5.752545603517705e-8,
  ],
  [
    0.004133597883597883, -0.0026813271604938273, 0.0007716049382716049, 2.0093878600823047e-6, -0.0001073665322636516,
    0.000052923448829120125, -0.000012760635188618728, 3.423578734096138e-8, 1.3721957309062934e-6,
  ],
  [
    0.0006494341563786008, 0.00022947209362139917, -0.0004691894943952557, 0.00026772063206283885,
    -0.00007561801671883977,
  ],
];

/** Both functions where x is near a large a. */
function nearby(a: number, x: number): { readonly lower: number; readonly upper: number } {
  const mu = (x - a) / a;
  const half = lessLog1p(mu);
  const eta = Math.sign(mu) * Math.sqrt(2 * half);
  const rest = polynomial(
    1 / a,
    TEMME.map((coefficients) => polynomial(eta, coefficients)),
  );
  const added = (Math.exp(-a * half) / Math.sqrt(2 * Math.PI * a)) * rest;
  const deviations = eta * Math.sqrt(a / 2);
  return { lower: 0.5 * erfc(-deviations) - added, upper: 0.5 * erfc(deviations) + added };
}

/** Computes x - log1p(x). */
function lessLog1p(x: number): number {
  if (Math.abs(x) > 0.01) return x - Math.log1p(x);
  // Σ (-x)^k / k from k = 2 on: the difference would cancel.
  return x * x * polynomial(-x, [1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6, 1 / 7, 1 / 8, 1 / 9]);
}

/** The quotients (2k)! / B[2k] with Bernoulli numbers, which divide the terms of the Euler-Maclaurin formula. */
const EULER_MACLAURIN = [
  12,
  -720,
  30240,
  -1209600,
  47900160,
  -1307674368000 / 691,
  74724249600,
  -10670622842880000 / 3617,
  5109094217170944000 / 43867,
  -802857662698291200000 / 174611,
  181521054019435460,
  -7.166165256175667e18,
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
  let sum = 0;
  let at = q;
  if (q < -FAR_BELOW) {
    // The terms below zero equal terms of a positive q, times (-1)^x.
    at = q + Math.ceil(-q - FAR_BELOW);
    const below = zeta(x, 1 - at) - zeta(x, 1 - q);
    sum = x % 2 === 0 ? below : -below;
  }
  // Ten terms are added one by one, and those up to 9; the Euler-Maclaurin formula gives the sum of the smooth rest.
  let power = inversePower(at, x);
  sum += power;
  for (let i = 0; i < 9 || at <= 9; i++) {
    at++;
    power = inversePower(at, x);
    sum += power;
    if (Math.abs(power) < LOST * Math.abs(sum)) return sum;
  }
  // Of a large number only the smaller power may be left.
  sum += (power === 0 ? at ** (1 - x) : at * power) / (x - 1) - 0.5 * power;
  const square = 1 / (at * at);
  let factor = (x * power) / at;
  for (let k = 0; k < EULER_MACLAURIN.length; k++) {
    const term = factor / EULER_MACLAURIN[k]!;
    sum += term;
    if (Math.abs(term) < LOST * Math.abs(sum)) break;
    const next = x + 2 * k + 1;
    factor *= next * (next + 1) * square;
  }
  return sum;
}

/** Terms below this part of a sum are lost in it. */
const LOST = Number.EPSILON / 2;

/** Computes at^-x: for trigamma and its derivative by products, which take a fraction of a power's time. */
function inversePower(at: number, x: number): number {
  if (x === 2) return 1 / (at * at);
  if (x === 3) return 1 / (at * at * at);
  return at ** -x;
}
