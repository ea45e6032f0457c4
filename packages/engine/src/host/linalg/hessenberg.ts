import { conjugate, ZERO } from "./complex.ts";
import { adjointOf, copyOf, type Matrix, put, zerosLike } from "./matrix.ts";
import { applyReflection, makeReflection, orthogonal } from "./qr.ts";
import { reflectColumns, reflectionVector } from "./real-reflections.ts";

/** `A = Q H Qᴴ`: H has zeros below its first subdiagonal; of a Hermitian matrix it is tridiagonal and real. */
export interface Hessenberg {
  readonly h: Matrix;
  readonly q: Matrix;
}

/** Reduces by the reflections of LAPACK's gehrd, which are those of its hetrd for the lower triangle. */
export function reduce(a: Matrix): Hessenberg {
  const n = a.rows;
  let h = copyOf(a);
  const tau = zerosLike(a, 1, Math.max(n - 1, 0));
  for (let k = 0; k < n - 1; k++) {
    const place = { row: k + 1, column: k };
    const factor = makeReflection(h, k + 1, k);
    put(tau, 0, k, factor);
    applyReflection(h, place, conjugate(factor), h, k + 1);
    if (h.im === null) {
      const v = reflectionVector({ of: h.re, start: (k + 1) * n + k, step: n, count: n - k - 1 });
      reflectColumns(v, factor.re, { of: h.re, start: k + 1, step: n }, n);
      continue;
    }
    // From the right: on the rows of the adjoint.
    const turned = adjointOf(h);
    applyReflection(h, place, conjugate(factor), turned, 0);
    h = adjointOf(turned);
  }
  const q = orthogonal(h, tau, n, 1);
  for (let i = 2; i < n; i++) for (let j = 0; j < i - 1; j++) put(h, i, j, ZERO);
  return { h, q };
}
