import type { OpName } from "@pt2/graph";
import type { TensorMeta } from "@pt2/registry";
import type { Emit } from "./support.ts";

/** Returns f'(z) for y = f(z), an analytic function. */
type Derivative = (z: TensorMeta, e: Emit, y: TensorMeta) => TensorMeta;

const square = (e: Emit, z: TensorMeta): TensorMeta => e.mul(z, z);
const oneMinus = (e: Emit, z: TensorMeta): TensorMeta => e.add(e.neg(z), 1);
const inverse = (e: Emit, z: TensorMeta): TensorMeta => e.unary("reciprocal", z);

const exp: Derivative = (_, __, y) => y;
const exp2: Derivative = (_, e, y) => e.mul(y, { float: Math.LN2 });
const expm1: Derivative = (_, e, y) => e.add(y, 1);
const log1p: Derivative = (z, e) => inverse(e, e.add(z, 1));
const sigmoid: Derivative = (_, e, y) => e.mul(y, oneMinus(e, y));
const asin: Derivative = (z, e) => e.unary("rsqrt", oneMinus(e, square(e, z)));
const atan: Derivative = (z, e) => inverse(e, e.add(square(e, z), 1));
const acos: Derivative = (z, e, y) => e.neg(asin(z, e, y));
const asinh: Derivative = (z, e) => e.unary("rsqrt", e.add(square(e, z), 1));
// One root of the product would have another sign in half of the plane.
const acosh: Derivative = (z, e) => e.mul(e.unary("rsqrt", e.add(z, 1)), e.unary("rsqrt", e.sub(z, 1)));
const atanh: Derivative = (z, e) => inverse(e, oneMinus(e, square(e, z)));
const log =
  (base: number): Derivative =>
  (z, e) =>
    inverse(e, e.times(z, base));

const DERIVATIVES: Readonly<Record<string, Derivative>> = {
  exp,
  exp2,
  special_exp2: exp2,
  expm1,
  special_expm1: expm1,
  log: log(1),
  log2: log(Math.LN2),
  log10: log(Math.LN10),
  log1p,
  special_log1p: log1p,
  reciprocal: (_, e, y) => e.neg(square(e, y)),
  sqrt: (_, e, y) => inverse(e, e.mul(y, 2)),
  rsqrt: (_, e, y) => e.mul(e.mul(square(e, y), y), { float: -0.5 }),
  square: (z, e) => e.mul(z, 2),
  sin: (z, e) => e.unary("cos", z),
  cos: (z, e) => e.neg(e.unary("sin", z)),
  tan: (_, e, y) => e.add(square(e, y), 1),
  sinh: (z, e) => e.unary("cosh", z),
  cosh: (z, e) => e.unary("sinh", z),
  tanh: (_, e, y) => oneMinus(e, square(e, y)),
  sigmoid,
  special_expit: sigmoid,
  asin,
  arcsin: asin,
  acos,
  arccos: acos,
  atan,
  arctan: atan,
  asinh,
  arcsinh: asinh,
  acosh,
  arccosh: acosh,
  atanh,
  arctanh: atanh,
};

/** Returns the derivative of an elementwise function of complex numbers; null for what is none. */
export function derivativeOf(op: OpName): Derivative | null {
  return DERIVATIVES[op.slice("aten::".length)] ?? null;
}
