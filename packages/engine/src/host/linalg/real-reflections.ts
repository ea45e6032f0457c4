import { type Rows, subtractProduct } from "./real-rows.ts";
import { copied, zeros } from "./room.ts";

/** A line of real numbers in memory, of `count` elements that are `step` apart. */
export interface Line {
  readonly of: Float64Array;
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

/** Makes all elements of a line but the first zero by a reflection, whose vector is stored there (LAPACK's larfg). Gives its factor. */
export function makeRealReflection({ of: x, start, step, count }: Line): number {
  const alpha = x[start]!;
  const rest = norm({ of: x, start: start + step, step, count: count - 1 });
  if (rest === 0) return 0;
  const size = Math.hypot(alpha, rest);
  const beta = alpha >= 0 ? -size : size;
  const scale = 1 / (alpha - beta);
  for (let i = 1, at = start + step; i < count; i++, at += step) x[at]! *= scale;
  x[start] = beta;
  return (beta - alpha) / beta;
}

/** The vector of a reflection that is stored in a line: its first element is 1. */
export function reflectionVector({ of: x, start, step, count }: Line): Float64Array {
  const v = zeros(count);
  for (let i = 1, at = start + step; i < count; i++, at += step) v[i] = x[at]!;
  if (count > 0) v[0] = 1;
  return v;
}

/** `(I - τ v vᵀ) B` in place of B, which has a row of a length for each element of v. */
export function reflectRows(v: Float64Array, tau: number, b: Rows, length: number): void {
  if (tau === 0 || length === 0) return;
  const sums = { of: zeros(length), start: 0, step: length };
  // Sums of negative products, which the second step subtracts times -τ.
  subtractProduct(sums, 1, length, b, { of: v, start: 0, step: 0, across: 1 }, v.length);
  const factors = copied(v);
  for (let i = 0; i < factors.length; i++) factors[i]! *= -tau;
  subtractProduct(b, v.length, length, sums, { of: factors, start: 0, step: 1, across: 0 }, 1);
}

/** `B (I - τ v vᵀ)` in place of the given number of rows of B, which are as long as v. */
export function reflectColumns(v: Float64Array, tau: number, { of: b, start, step }: Rows, rows: number): void {
  if (tau === 0) return;
  let i = 0;
  // Four rows at once: the additions of one sum wait for each other.
  for (; i + 4 <= rows; i += 4) {
    const at0 = start + i * step;
    const at1 = at0 + step;
    const at2 = at1 + step;
    const at3 = at2 + step;
    let [sum0, sum1, sum2, sum3] = [0, 0, 0, 0];
    for (let j = 0; j < v.length; j++) {
      const value = v[j]!;
      sum0 += b[at0 + j]! * value;
      sum1 += b[at1 + j]! * value;
      sum2 += b[at2 + j]! * value;
      sum3 += b[at3 + j]! * value;
    }
    sum0 *= tau;
    sum1 *= tau;
    sum2 *= tau;
    sum3 *= tau;
    for (let j = 0; j < v.length; j++) {
      const value = v[j]!;
      b[at0 + j]! -= sum0 * value;
      b[at1 + j]! -= sum1 * value;
      b[at2 + j]! -= sum2 * value;
      b[at3 + j]! -= sum3 * value;
    }
  }
  for (let at = start + i * step; i < rows; i++, at += step) {
    let sum = 0;
    for (let j = 0; j < v.length; j++) sum += b[at + j]! * v[j]!;
    sum *= tau;
    for (let j = 0; j < v.length; j++) b[at + j]! -= sum * v[j]!;
  }
}

/** The Euclidean norm, whose intermediate results do not overflow. */
function norm({ of: x, start, step, count }: Line): number {
  const end = start + step * count;
  let largest = 0;
  for (let at = start; at !== end; at += step) largest = Math.max(largest, Math.abs(x[at]!));
  // The squares of these neither overflow nor vanish.
  const scale = largest > 1e-140 && largest < 1e140 ? 1 : largest;
  if (!(scale > 0 && scale < Number.POSITIVE_INFINITY)) return scale;
  let sum = 0;
  for (let at = start; at !== end; at += step) sum += (x[at]! / scale) ** 2;
  return scale * Math.sqrt(sum);
}
