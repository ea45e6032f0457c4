import { absolute } from "./complex.ts";
import { at, identityLike, type Matrix, product, zerosLike } from "./matrix.ts";

/** The largest norm at which the polynomial is exact to double precision. */
const LARGEST = 1.09;

/**
 * Combinations of I, A, A², A³ and A⁶ of which the sum of Taylor's first 19 terms is made with two further products, as in PyTorch
 * (Bader, Blanes and Casas: Computing the matrix exponential with an optimized Taylor polynomial approximation, 2019).
 */
const COMBINATIONS = [
  [0, -0.10036558103014462, -0.00802924648241157, -0.00089213849804573, 0],
  [0, 0.3978497494996451, 1.3678377846041172, 0.49828962252538267, -0.0006378981945947233],
  [-10.967639605296206, 1.680158138789062, 0.05717798464788655, -0.0069821012248805206, 3.349750170860705e-5],
  [-0.09043168323908106, -0.06764045190713819, 0.06759613017704597, 0.029555257042931552, -1.391802575160607e-5],
  [0, 0, -0.09233646193671186, -0.016936493900208172, -1.400867981820361e-5],
] as const;

/** Computes exp(A) by scaling, Taylor's series and squaring. */
export function matrixExponential(a: Matrix): Matrix {
  const n = a.rows;
  let norm = 0;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += absolute(at(a, i, j));
    norm = Math.max(norm, sum);
  }
  const squarings = norm > LARGEST && Number.isFinite(norm) ? Math.ceil(Math.log2(norm / LARGEST)) : 0;
  const scaled = combination([a], [2 ** -squarings]);
  const square = product(scaled, scaled);
  const cube = product(square, scaled);
  const powers = [identityLike(a, n), scaled, square, cube, product(cube, cube)];
  const [b1, b2, b3, b4, b5] = COMBINATIONS.map((factors) => combination(powers, factors)) as [
    Matrix,
    Matrix,
    Matrix,
    Matrix,
    Matrix,
  ];
  const ninth = combination([product(b1, b5), b4], [1, 1]);
  let power = combination([product(combination([b3, ninth], [1, 1]), ninth), b2], [1, 1]);
  for (let i = 0; i < squarings; i++) power = product(power, power);
  return power;
}

/** Adds up multiples of matrices. */
function combination(matrices: readonly Matrix[], factors: readonly number[]): Matrix {
  const first = matrices[0]!;
  const sum = zerosLike(first, first.rows, first.columns);
  for (const [k, { re, im }] of matrices.entries()) {
    addMultiple(sum.re, re, factors[k]!);
    if (sum.im !== null && im !== null) addMultiple(sum.im, im, factors[k]!);
  }
  return sum;
}

function addMultiple(to: Float64Array, from: Float64Array, factor: number): void {
  if (factor === 0) return;
  for (let i = 0; i < to.length; i++) to[i]! += factor * from[i]!;
}
