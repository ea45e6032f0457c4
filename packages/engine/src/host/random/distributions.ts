import type { CpuGenerator } from "@pt2/backend";
import { FLOAT_UNARY } from "@pt2/registry/scalar";

const { lgamma } = FLOAT_UNARY;

// Each distribution draws as many numbers as PyTorch's does, in its order.

/** A number of the exponential distribution. */
export function exponential(random: CpuGenerator, rate: number): number {
  return -Math.log1p(-random.uniform()) / rate;
}

/** A number of the Cauchy distribution. */
export function cauchy(random: CpuGenerator, median: number, scale: number): number {
  return median + scale * Math.tan(Math.PI * (random.uniform() - 0.5));
}

/** A number whose logarithm is normal. */
export function logNormal(random: CpuGenerator, mean: number, std: number): number {
  return Math.exp(random.normal() * std + mean);
}

/** Returns how many trials it takes until one succeeds. */
export function geometric(random: CpuGenerator, odds: number): number {
  return Math.ceil(Math.log(random.uniform()) / Math.log1p(-odds));
}

/** A number of the gamma distribution with scale 1 (Marsaglia and Tsang). */
export function gamma(shape: number, random: CpuGenerator): number {
  if (!(shape > 0 && shape < Number.POSITIVE_INFINITY)) return shape < 0 ? Number.NaN : shape;
  const scale = shape < 1 ? (1 - random.uniform()) ** (1 / shape) : 1;
  const d = (shape < 1 ? shape + 1 : shape) - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = random.normal();
    const y = 1 + c * x;
    if (y <= 0) continue;
    const v = y ** 3;
    const u = 1 - random.uniform();
    const square = x * x;
    // Without a logarithm nearly all draws are accepted.
    if (u < 1 - 0.0331 * square * square) return scale * d * v;
    if (Math.log(u) < square / 2 + d * (1 - v + Math.log(v))) return scale * d * v;
  }
}

/** Returns how many events occur if `rate` are expected: by counting, or by transformed rejection (Hörmann). */
export function poisson(rate: number, random: CpuGenerator): number {
  if (!(rate >= 0 && rate < Number.POSITIVE_INFINITY)) return Number.NaN;
  if (rate === 0) return 0;
  if (rate < 10) {
    let count = 0;
    for (let left = random.uniform(), end = Math.exp(-rate); left > end; left *= random.uniform()) count++;
    return count;
  }
  const hat = hatOf(Math.sqrt(rate), 0.931, 2.53, -0.059, 0.02483);
  const scale = Math.log(1.1239 + 1.1328 / (hat.b - 3.4));
  const log = Math.log(rate);
  return rejected(
    random,
    { ...hat, center: rate + 0.43, sure: 0.9277 - 3.6224 / (hat.b - 2), steep: 0.013 },
    (k, v) => {
      return k >= 0 && v + scale <= k * log - rate - lgamma(k + 1);
    },
  );
}

/** Returns how many of `count` trials succeed: from waiting times, or by transformed rejection. */
export function binomial(count: number, odds: number, random: CpuGenerator): number {
  if (!(odds >= 0 && odds <= 1) || !(count >= 0)) return Number.NaN;
  if (count === Number.POSITIVE_INFINITY) return odds === 0 ? 0 : count;
  if (odds > 0.5) return count - binomial(count, 1 - odds, random);
  if (odds === 0 || count === 0) return 0;
  if (count * odds < 10) {
    const trials = (): number => Math.ceil(Math.log(random.uniform()) / Math.log1p(-odds));
    let successes = 0;
    for (let tried = trials(); tried <= count; tried += trials()) successes++;
    return successes;
  }
  const deviation = Math.sqrt(count * odds * (1 - odds));
  const hat = hatOf(deviation, 1.15, 2.53, -0.0873 + 0.01 * odds, 0.0248);
  const scale = Math.log((2.83 + 5.1 / hat.b) * deviation);
  const ratio = Math.log(odds / (1 - odds));
  const mode = Math.floor((count + 1) * odds);
  const most = lgamma(mode + 1) + lgamma(count - mode + 1);
  return rejected(random, { ...hat, center: count * odds + 0.5, sure: 0.92 - 4.2 / hat.b, steep: 0 }, (k, v) => {
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
  /** Nearer to the ends than this, a draw above the distance is rejected without computing the distribution. */
  readonly steep: number;
}

function hatOf(deviation: number, b0: number, b1: number, a0: number, a1: number): Pick<Hat, "a" | "b"> {
  const b = b0 + b1 * deviation;
  return { a: a0 + a1 * b, b };
}

/** Draws numbers until `accepts` takes one; it gets the logarithm of the height of the draw under the hat. */
function rejected(
  random: CpuGenerator,
  { a, b, center, sure, steep }: Hat,
  accepts: (k: number, height: number) => boolean,
): number {
  for (;;) {
    const u = random.uniform() - 0.5;
    const v = random.uniform();
    const side = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / side + b) * u + center);
    if (side >= 0.07 && v <= sure) return k;
    if (k < 0 || (side < steep && v > side)) continue;
    if (accepts(k, Math.log(v / (a / (side * side) + b)))) return k;
  }
}
