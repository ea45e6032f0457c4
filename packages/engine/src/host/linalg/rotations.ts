/** `(c, s; -s, c)`, which turns two numbers to `(r, 0)`. */
export interface Rotation {
  readonly c: number;
  readonly s: number;
  readonly r: number;
}

/** LAPACK's lartg before 3.10, which its eigenvalue routines keep in MKL: r is negative where the larger number f is. */
export function rotation(f: number, g: number): Rotation {
  if (g === 0) return { c: 1, s: 0, r: f };
  if (f === 0) return { c: 0, s: 1, r: g };
  const size = Math.hypot(f, g);
  const r = f < 0 && Math.abs(f) > Math.abs(g) ? -size : size;
  return { c: f / r, s: g / r, r };
}

/** LAPACK's lartg since 3.10, which singular values are found with: the cosine is not negative. */
export function forwardRotation(f: number, g: number): Rotation {
  if (g === 0) return { c: 1, s: 0, r: f };
  if (f === 0) return { c: 0, s: g < 0 ? -1 : 1, r: Math.abs(g) };
  const r = f < 0 ? -Math.hypot(f, g) : Math.hypot(f, g);
  return { c: f / r, s: g / r, r };
}
