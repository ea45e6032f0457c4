import { type Matrix, turnLines } from "./matrix.ts";

/** Makes a 2×2 block triangular, or its diagonal elements equal where its eigenvalues are conjugate (LAPACK's lanv2). */
export function standardize(h: Matrix, q: Matrix, k: number, precision: number): void {
  const { re, columns: n } = h;
  const block = (): readonly number[] => [
    re[k * n + k]!,
    re[k * n + k + 1]!,
    re[(k + 1) * n + k]!,
    re[(k + 1) * n + k + 1]!,
  ];
  const turn = (cosine: number, sine: number): void => {
    turnLines(h, "row", k, k + 1, cosine, -sine);
    turnLines(h, "column", k, k + 1, cosine, -sine);
    turnLines(q, "row", k, k + 1, cosine, -sine);
  };
  const [a, b, c, d] = block() as [number, number, number, number];
  if (c === 0) return;
  if (b === 0) {
    turn(0, 1);
    re[(k + 1) * n + k] = 0;
    return;
  }
  if (a === d && Math.sign(b) !== Math.sign(c)) return;
  const half = (a - d) / 2;
  const large = Math.max(Math.abs(b), Math.abs(c));
  const small = Math.min(Math.abs(b), Math.abs(c)) * Math.sign(b) * Math.sign(c);
  const scale = Math.max(Math.abs(half), large);
  const discriminant = (half / scale) * half + (large / scale) * small;
  if (discriminant >= 4 * precision) {
    const z = half + (half < 0 ? -1 : 1) * Math.sqrt(scale) * Math.sqrt(discriminant);
    const size = Math.hypot(c, z);
    turn(z / size, c / size);
    re.set([d + z, b - c], k * n + k);
    re.set([0, d - (large / z) * small], (k + 1) * n + k);
    return;
  }
  const sigma = b + c;
  const size = Math.hypot(sigma, a - d);
  const cosine = Math.sqrt((1 + Math.abs(sigma) / size) / 2);
  turn(cosine, -(half / (size * cosine)) * (sigma < 0 ? -1 : 1));
  const [first, upper, lower, last] = block() as [number, number, number, number];
  const middle = (first + last) / 2;
  re[k * n + k] = middle;
  re[(k + 1) * n + k + 1] = middle;
  if (lower === 0 || upper === 0 || Math.sign(upper) !== Math.sign(lower)) return;
  // Two real eigenvalues after all.
  const [p, r] = [Math.sqrt(Math.abs(upper)), Math.sqrt(Math.abs(lower))];
  const apart = lower < 0 ? -p * r : p * r;
  const total = Math.sqrt(Math.abs(upper + lower));
  turn(p / total, r / total);
  re.set([middle + apart, upper - lower], k * n + k);
  re.set([0, middle - apart], (k + 1) * n + k);
}
