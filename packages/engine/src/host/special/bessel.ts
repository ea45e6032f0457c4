// Bessel functions of the orders 0 and 1, in double precision.

const EULER = 0.5772156649015329;

/** Below this the power series lose only digits that float32 does not have; above it Hankel's series is accurate. */
const SERIES_LIMIT = 14;

/** The Bessel function of the first kind, J. */
export function besselJ(order: 0 | 1, x: number): number {
  if (x < 0) return order === 0 ? besselJ(0, -x) : -besselJ(1, -x);
  if (x > SERIES_LIMIT) return hankel(order, x).j;
  // The midpoint rule converges faster than any power for an integral over one period of a smooth function.
  const points = 48;
  let sum = 0;
  for (let i = 0; i < points; i++) {
    const t = (Math.PI * (i + 0.5)) / points;
    sum += Math.cos(order * t - x * Math.sin(t));
  }
  return sum / points;
}

/** The Bessel function of the second kind, Y. */
export function besselY(order: 0 | 1, x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x > SERIES_LIMIT) return hankel(order, x).y;
  const quarter = (x * x) / 4;
  const log = Math.log(x / 2) + EULER;
  let [term, harmonic, sum] = [1, 0, 0];
  if (order === 0) {
    for (let k = 1; k < 60; k++) {
      term *= -quarter / (k * k);
      harmonic += 1 / k;
      sum -= harmonic * term;
    }
    return (2 / Math.PI) * (log * besselJ(0, x) + sum);
  }
  for (let k = 0; k < 60; k++) {
    sum += term * (2 * harmonic + 1 / (k + 1));
    term *= -quarter / ((k + 1) * (k + 2));
    harmonic += 1 / (k + 1);
  }
  return (2 / Math.PI) * (log * besselJ(1, x) - 1 / x - (x / 4) * sum);
}

/** Hankel's asymptotic series of both kinds. */
function hankel(order: number, x: number): { readonly j: number; readonly y: number } {
  const mu = 4 * order * order;
  let [p, q, term] = [1, 0, 1];
  for (let k = 1; k < 2 * x && k < 40; k++) {
    const next = (term * (mu - (2 * k - 1) ** 2)) / (k * 8 * x);
    if (Math.abs(next) > Math.abs(term)) break;
    term = next;
    const signed = (k >> 1) % 2 === 0 ? term : -term;
    if (k % 2 === 1) q += signed;
    else p += signed;
  }
  const phase = x - (order / 2 + 0.25) * Math.PI;
  const scale = Math.sqrt(2 / (Math.PI * x));
  const [c, s] = [Math.cos(phase), Math.sin(phase)];
  return { j: scale * (p * c - q * s), y: scale * (p * s + q * c) };
}

/** The modified Bessel function of the first kind, I; `scaled` multiplies it by exp(-|x|). */
export function besselI(order: 0 | 1, x: number, scaled = false): number {
  const size = Math.abs(x);
  const sign = order === 1 && x < 0 ? -1 : 1;
  if (size < 30) {
    let term = order === 0 ? 1 : size / 2;
    let sum = term;
    for (let k = 1; k < 100 && term > sum * 1e-17; k++) {
      term *= (size * size) / 4 / (k * (k + order));
      sum += term;
    }
    return Number.isNaN(x) ? x : sign * sum * (scaled ? Math.exp(-size) : 1);
  }
  const mu = 4 * order * order;
  let [term, sum] = [1, 1];
  for (let k = 1; k < 30; k++) {
    term *= -(mu - (2 * k - 1) ** 2) / (k * 8 * size);
    sum += term;
  }
  const value = sum / (Math.sqrt(2 * Math.PI) * Math.sqrt(size));
  // Beyond 710 the product would overflow: it is taken in two steps, of which the last one may.
  const growth = Math.exp(size / 2);
  return sign * (scaled ? value : value * growth * growth);
}

/** The modified Bessel function of the second kind, K, of any order; `scaled` multiplies it by exp(x). */
export function besselK(order: number, x: number, scaled = false): number {
  if (!(x > 0)) return x === 0 ? Number.POSITIVE_INFINITY : Number.NaN;
  if (x === Number.POSITIVE_INFINITY) return 0;
  // ∫ exp(-x (cosh t - 1)) cosh(order t) dt decays doubly exponentially: the trapezoidal rule is exact to rounding.
  const end = x < 1e-300 ? Math.log(1500) - Math.log(x) : Math.acosh(1 + 750 / x);
  const steps = Math.max(100, Math.ceil(end / 0.05));
  const h = end / steps;
  let sum = 0.5;
  for (let i = 1; i <= steps; i++) {
    const t = i * h;
    sum += Math.exp(-2 * x * Math.sinh(t / 2) ** 2) * Math.cosh(order * t);
  }
  return sum * h * (scaled ? 1 : Math.exp(-x));
}

/** The Airy function Ai. */
export function airyAi(x: number): number {
  if (Number.isNaN(x)) return x;
  const zeta = (2 / 3) * Math.abs(x) ** 1.5;
  if (x > 1) return (Math.sqrt(x / 3) / Math.PI) * besselK(1 / 3, zeta);
  if (x < -9) return airyFarLeft(-x, zeta);
  // This is Maclaurin's series, c1 f(x) - c2 g(x).
  const cube = x ** 3;
  let [f, g, sumF, sumG] = [1, x, 1, x];
  for (let k = 1; k < 120; k++) {
    f *= cube / ((3 * k - 1) * (3 * k));
    g *= cube / (3 * k * (3 * k + 1));
    sumF += f;
    sumG += g;
  }
  return 0.3550280538878172 * sumF - 0.2588194037928068 * sumG;
}

function airyFarLeft(x: number, zeta: number): number {
  let [p, q, term] = [1, 0, 1];
  for (let k = 1; k < 12; k++) {
    term *= ((6 * k - 5) * (6 * k - 3) * (6 * k - 1)) / (216 * k * (2 * k - 1) * zeta);
    const signed = (k >> 1) % 2 === 0 ? term : -term;
    if (k % 2 === 1) q += signed;
    else p += signed;
  }
  const phase = zeta + Math.PI / 4;
  return (p * Math.sin(phase) - q * Math.cos(phase)) / (Math.sqrt(Math.PI) * x ** 0.25);
}
