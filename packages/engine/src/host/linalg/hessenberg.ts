import { conjugate, ZERO } from "./complex.ts";
import { adjointOf, copyOf, identityLike, type Matrix, put, zerosLike } from "./matrix.ts";
import { applyQ, applyReflection, makeReflection } from "./qr.ts";

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
    // From the right: on the rows of the adjoint.
    const turned = adjointOf(h);
    applyReflection(h, place, conjugate(factor), turned, 0);
    h = adjointOf(turned);
  }
  const q = identityLike(a, n);
  applyQ(h, tau, q, false, 1);
  for (let i = 2; i < n; i++) for (let j = 0; j < i - 1; j++) put(h, i, j, ZERO);
  return { h, q };
}
