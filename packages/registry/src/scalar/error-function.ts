// Implements the error function and its relatives in double precision. The coefficients are those of FreeBSD's msun.
import { polynomial } from "./polynomial.ts";

const ERF_PP = [
  0.12837916709551256, -0.3250421072470015, -0.02848174957559851, -0.005770270296489442, -0.000023763016656650163,
];
const ERF_QQ = [
  1, 0.39791722395915535, 0.0650222499887673, 0.005081306281875766, 0.00013249473800432164, -0.000003960228278775368,
];
const ERF_PA = [
  -0.0023621185607526594, 0.41485611868374833, -0.3722078760357013, 0.31834661990116175, -0.11089469428239668,
  0.035478304325618236, -0.002166375594868791,
];
const ERF_QA = [
  1, 0.10642088040084423, 0.540397917702171, 0.07182865441419627, 0.12617121980876164, 0.01363708391202905,
  0.011984499846799107,
];
const ERFC_RA = [
  -0.009864944034847148, -0.6938585727071818, -10.558626225323291, -62.375332450326006, -162.39666946257347,
  -184.60509290671104, -81.2874355063066, -9.814329344169145,
];
const ERFC_SA = [
  1, 19.651271667439257, 137.65775414351904, 434.56587747522923, 645.3872717332679, 429.00814002756783,
  108.63500554177944, 6.570249770319282, -0.0604244152148581,
];
const ERFC_RB = [
  -0.0098649429247001, -0.799283237680523, -17.757954917754752, -160.63638485582192, -637.5664433683896,
  -1025.0951316110772, -483.5191916086514,
];
const ERFC_SB = [
  1, 30.33806074348246, 325.7925129965739, 1536.729586084437, 3199.8582195085955, 2553.0504064331644,
  474.52854120695537, -22.44095244658582,
];
const ERX = 0.8450629115104675;

/** Computes erfc for x >= 0.84375. */
function erfcTail(x: number): number {
  if (x < 1.25) {
    const s = x - 1;
    return 1 - ERX - polynomial(s, ERF_PA) / polynomial(s, ERF_QA);
  }
  if (x > 28) return 0;
  const s = 1 / (x * x);
  const [r, q] = x < 1 / 0.35 ? [ERFC_RA, ERFC_SA] : [ERFC_RB, ERFC_SB];
  // This is exp(-x²) with x split, so that the square of the leading part is exact.
  const z = Math.fround(x);
  return (Math.exp(-z * z - 0.5625) * Math.exp((z - x) * (z + x) + polynomial(s, r) / polynomial(s, q))) / x;
}

/** Computes the error function. */
export function erf(x: number): number {
  const magnitude = Math.abs(x);
  if (Number.isNaN(x)) return x;
  if (magnitude < 0.84375) return x + (x * polynomial(x * x, ERF_PP)) / polynomial(x * x, ERF_QQ);
  return Math.sign(x) * (1 - erfcTail(magnitude));
}

/** Computes 1 - erf(x) without cancellation. */
export function erfc(x: number): number {
  if (Number.isNaN(x)) return x;
  if (Math.abs(x) < 0.84375) return 1 - erf(x);
  return x > 0 ? erfcTail(x) : 2 - erfcTail(-x);
}

/** Computes the inverse of erf by a rational approximation and Newton steps. */
export function erfinv(y: number): number {
  const magnitude = Math.abs(y);
  if (!(magnitude < 1)) return magnitude === 1 ? y * Number.POSITIVE_INFINITY : Number.NaN;
  if (y === 0) return y;
  let x = magnitude <= 0.7 ? nearZero(magnitude) : nearOne(magnitude);
  for (let step = 0; step < 3; step++) {
    // In the tails the difference of the complements is used, which does not cancel.
    const error = magnitude > 0.5 ? 1 - magnitude - erfc(x) : erf(x) - magnitude;
    x -= error / ((2 / Math.sqrt(Math.PI)) * Math.exp(-x * x));
  }
  return Math.sign(y) * x;
}

function nearZero(y: number): number {
  const z = y * y;
  const above = polynomial(z, [0.886226899, -1.645349621, 0.914624893, -0.140543331]);
  return (y * above) / polynomial(z, [1, -2.118377725, 1.442710462, -0.329097515, 0.012229801]);
}

function nearOne(y: number): number {
  const z = Math.sqrt(-Math.log((1 - y) / 2));
  return (
    polynomial(z, [-1.970840454, -1.624906493, 3.429567803, 1.641345311]) / polynomial(z, [1, 3.5438892, 1.6370678])
  );
}
