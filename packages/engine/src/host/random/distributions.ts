import { evaluateFloat } from "../special/functions.ts";
import type { RandomNumbers } from "./numbers.ts";

const lgamma = (x: number): number => evaluateFloat("lgamma", x);

/** A number of the gamma distribution with scale 1 (Marsaglia and Tsang). */
export function gamma(shape: number, random: RandomNumbers): number {
  if (!(shape > 0 && shape < Number.POSITIVE_INFINITY)) return shape < 0 ? Number.NaN : shape;
  if (shape < 1) return gamma(shape + 1, random) * (1 - random.next()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = random.normal(1)[0]!;
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random.next()) < (x * x) / 2 + d * (1 - v + Math.log(v))) return d * v;
  }
}

/** Returns how many events occur if `rate` are expected: by counting, or by transformed rejection (Hörmann). */
export function poisson(rate: number, random: RandomNumbers): number {
  if (!(rate >= 0 && rate < Number.POSITIVE_INFINITY)) return Number.NaN;
  if (rate < 10) {
    let count = 0;
    for (let left = 1 - random.next(), end = Math.exp(-rate); left > end; left *= 1 - random.next()) count++;
    return count;
  }
  const hat = hatOf(Math.sqrt(rate), 0.931, 2.53, -0.059, 0.02483);
  const scale = Math.log(1.1239 + 1.1328 / (hat.b - 3.4));
  const log = Math.log(rate);
  return rejected(random, { ...hat, center: rate + 0.43, sure: 0.9277 - 3.6224 / (hat.b - 2) }, (k, v) => {
    return k >= 0 && v + scale <= k * log - rate - lgamma(k + 1);
  });
}

/** Returns how many of `count` trials succeed: from waiting times, or by transformed rejection. */
export function binomial(count: number, odds: number, random: RandomNumbers): number {
  if (!(odds >= 0 && odds <= 1) || !(count >= 0)) return Number.NaN;
  if (count === Number.POSITIVE_INFINITY) return odds === 0 ? 0 : count;
  if (odds > 0.5) return count - binomial(count, 1 - odds, random);
  if (odds === 0 || count === 0) return 0;
  if (count * odds < 10) {
    let successes = -1;
    for (let tried = 0; tried <= count; successes++) {
      tried += Math.ceil(Math.log(1 - random.next()) / Math.log1p(-odds)) || 1;
    }
    return successes;
  }
  const deviation = Math.sqrt(count * odds * (1 - odds));
  const hat = hatOf(deviation, 1.15, 2.53, -0.0873 + 0.01 * odds, 0.0248);
  const scale = Math.log((2.83 + 5.1 / hat.b) * deviation);
  const ratio = Math.log(odds / (1 - odds));
  const mode = Math.floor((count + 1) * odds);
  const most = lgamma(mode + 1) + lgamma(count - mode + 1);
  return rejected(random, { ...hat, center: count * odds + 0.5, sure: 0.92 - 4.2 / hat.b }, (k, v) => {
    if (k < 0 || k > count) return false;
    return v + scale <= most - lgamma(k + 1) - lgamma(count - k + 1) + (k - mode) * ratio;
  });
}

/** A hat function above a distribution of whole numbers: numbers are drawn from it, and some are rejected. */
interface Hat {
  readonly a: number;
  readonly b: number;
  readonly center: number;
  /** A draw below this, near the middle, is accepted without computing the distribution. */
  readonly sure: number;
}

function hatOf(deviation: number, b0: number, b1: number, a0: number, a1: number): Pick<Hat, "a" | "b"> {
  const b = b0 + b1 * deviation;
  return { a: a0 + a1 * b, b };
}

/** Draws numbers until `accepts` takes one; it gets the logarithm of the height of the draw under the hat. */
function rejected(
  random: RandomNumbers,
  { a, b, center, sure }: Hat,
  accepts: (k: number, height: number) => boolean,
): number {
  for (;;) {
    const u = random.next() - 0.5;
    const v = 1 - random.next();
    const side = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / side + b) * u + center);
    if (side >= 0.07 && v <= sure) return k;
    if (k < 0 || (side < 0.013 && v > side)) continue;
    if (accepts(k, Math.log(v / (a / (side * side) + b)))) return k;
  }
}
