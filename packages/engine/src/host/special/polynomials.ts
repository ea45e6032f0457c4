import { backendError } from "@pt2/backend";
import type { Pt2Error } from "@pt2/format";
import type { KnownOp } from "@pt2/registry";
import { LIMITS } from "../../limits.ts";

/** A polynomial of an orthogonal family. Its degree is given as a number, whose fraction is ignored. */
export type Polynomial = (x: number, degree: number) => number;

/** The op of a family, whose arguments are both tensors. */
type PolynomialOp = Exclude<Extract<KnownOp, `aten::special_${string}_polynomial_${string}`>, `${string}.${string}`>;

/** The recurrence that gives p[k+1] from p[k] and p[k-1]. */
type Recurrence = (k: number, x: number, current: number, last: number) => number;

function family(first: (x: number) => number, next: Recurrence): Polynomial {
  return (x, degree) => {
    const n = Math.trunc(degree);
    if (n < 0) return 0;
    if (n === 0) return 1;
    if (n > LIMITS.polynomialDegree) throw tooHigh(n);
    let [last, current] = [1, first(x)];
    for (let k = 1; k < n && !Number.isNaN(current); k++) [last, current] = [current, next(k, x, current, last)];
    return current;
  };
}

function tooHigh(degree: number): Pt2Error {
  return backendError("backend.limit", {
    what: `A polynomial of degree ${degree} was asked for, the limit is ${LIMITS.polynomialDegree}`,
    advice: "Check the values that the program computes the degree from.",
    details: { degree, allowed: LIMITS.polynomialDegree },
  });
}

const chebyshev: Recurrence = (_, x, current, last) => 2 * x * current - last;
const shifted =
  (polynomial: Polynomial): Polynomial =>
  (x, degree) =>
    polynomial(2 * x - 1, degree);

/** Chebyshev's polynomials of the four kinds. */
const chebyshevT: Polynomial = family((x) => x, chebyshev);
const chebyshevU: Polynomial = family((x) => 2 * x, chebyshev);
const chebyshevV: Polynomial = family((x) => 2 * x - 1, chebyshev);
const chebyshevW: Polynomial = family((x) => 2 * x + 1, chebyshev);

/** Every family by its op. */
export const POLYNOMIALS: readonly (readonly [op: PolynomialOp, polynomial: Polynomial])[] = [
  ["aten::special_chebyshev_polynomial_t", chebyshevT],
  ["aten::special_chebyshev_polynomial_u", chebyshevU],
  ["aten::special_chebyshev_polynomial_v", chebyshevV],
  ["aten::special_chebyshev_polynomial_w", chebyshevW],
  ["aten::special_shifted_chebyshev_polynomial_t", shifted(chebyshevT)],
  ["aten::special_shifted_chebyshev_polynomial_u", shifted(chebyshevU)],
  ["aten::special_shifted_chebyshev_polynomial_v", shifted(chebyshevV)],
  ["aten::special_shifted_chebyshev_polynomial_w", shifted(chebyshevW)],
  [
    "aten::special_hermite_polynomial_h",
    family(
      (x) => 2 * x,
      (k, x, current, last) => 2 * x * current - 2 * k * last,
    ),
  ],
  [
    "aten::special_hermite_polynomial_he",
    family(
      (x) => x,
      (k, x, current, last) => x * current - k * last,
    ),
  ],
  [
    "aten::special_laguerre_polynomial_l",
    family(
      (x) => 1 - x,
      (k, x, current, last) => ((2 * k + 1 - x) * current - k * last) / (k + 1),
    ),
  ],
  [
    "aten::special_legendre_polynomial_p",
    family(
      (x) => x,
      (k, x, current, last) => ((2 * k + 1) * x * current - k * last) / (k + 1),
    ),
  ],
];
