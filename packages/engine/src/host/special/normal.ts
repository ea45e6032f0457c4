// Functions of the normal distribution, in double precision.
import { FLOAT_UNARY } from "@pt2/registry/scalar";
import { horner } from "./series.ts";

const { erfc } = FLOAT_UNARY;

/** Computes exp(x²) erfc(x) without overflow. */
export function erfcx(x: number): number {
  if (x < 10) return Math.exp(x * x) * erfc(x);
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
  return Math.log1p(-erfc(t) / 2);
}

// The coefficients are those of Cephes (Moshier), which PyTorch has too.
const CENTER_OVER = [
  -59.96335010141079, 98.00107541859997, -56.67628574690703, 13.931260938727968, -1.2391658386738125,
];
const CENTER_UNDER = [
  1, 1.9544885833814176, 4.676279128988815, 86.36024213908905, -225.46268785411937, 200.26021238006066,
  -82.03722561683334, 15.90562251262117, -1.1833162112133,
];
const TAIL_OVER = [
  4.0554489230596245, 31.525109459989388, 57.16281922464213, 44.08050738932008, 14.684956192885803, 2.1866330685079025,
  -0.1402560791713545, -0.03504246268278482, -0.0008574567851546854,
];
const TAIL_UNDER = [
  1, 15.779988325646675, 45.39076351288792, 41.3172038254672, 15.04253856929075, 2.504649462083094,
  -0.14218292285478779, -0.03808064076915783, -0.0009332594808954574,
];
const FAR_OVER = [
  3.2377489177694603, 6.915228890689842, 3.9388102529247444, 1.3330346081580755, 0.20148538954917908,
  0.012371663481782003, 0.00030158155350823543, 0.0000026580697468673755, 6.239745391849833e-9,
];
const FAR_UNDER = [
  1, 6.02427039364742, 3.6798356385616087, 1.3770209948908132, 0.21623699359449663, 0.013420400608854318,
  0.00032801446468212774, 0.0000028924786474538068, 6.790194080099813e-9,
];

/** Up to this probability, exp(-2), there is a tail. */
const TAIL = 0.1353352832366127;

/** Computes the inverse of the cumulative distribution function. */
export function ndtri(p: number): number {
  if (p === 0) return Number.NEGATIVE_INFINITY;
  if (p === 1) return Number.POSITIVE_INFINITY;
  if (!(p > 0 && p < 1)) return Number.NaN;
  const upper = p > 1 - TAIL;
  const y = upper ? 1 - p : p;
  if (y > TAIL) {
    const center = y - 0.5;
    const square = center * center;
    const rest = (square * horner(square, CENTER_OVER)) / horner(square, CENTER_UNDER);
    return (center + center * rest) * Math.sqrt(2 * Math.PI);
  }
  const radius = Math.sqrt(-2 * Math.log(y));
  const z = 1 / radius;
  const tail =
    radius < 8 ? (z * horner(z, TAIL_OVER)) / horner(z, TAIL_UNDER) : (z * horner(z, FAR_OVER)) / horner(z, FAR_UNDER);
  const size = radius - Math.log(radius) / radius - tail;
  return upper ? size : -size;
}
