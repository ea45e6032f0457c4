/** Evaluates a polynomial whose first coefficient is that of the highest power. */
export function horner(x: number, coefficients: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < coefficients.length; i++) sum = sum * x + coefficients[i]!;
  return sum;
}

/** Evaluates a Chebyshev series of x / 2, whose first coefficient is that of the highest polynomial (Clenshaw). */
export function chebyshev(x: number, coefficients: readonly number[]): number {
  let sum = coefficients[0]!;
  let last = 0;
  let before = 0;
  for (let i = 1; i < coefficients.length; i++) {
    before = last;
    last = sum;
    sum = x * last - before + coefficients[i]!;
  }
  return 0.5 * (sum - before);
}
