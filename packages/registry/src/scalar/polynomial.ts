/** Computes c[0] + c[1] x + c[2] x² + … */
export function polynomial(x: number, coefficients: readonly number[]): number {
  return coefficients.reduceRight((sum, c) => sum * x + c, 0);
}
