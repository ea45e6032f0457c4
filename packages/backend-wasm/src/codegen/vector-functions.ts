// Functions that are computed by vectors, but seldom used: they load with the first kernel that calls one. Those of single
// precision are at most 0.55 units in the last place from the true value. Nothing here imports what loads before, so that
// bundlers need not divide that into more files.
import { doubleAtan, doubleAtan2, doubleHypotenuse } from "./f64-arctangent.ts";
import { erf, erfc, erfinv, shortErfc, shortErfinv } from "./f64-error-function.ts";
import { doubleCosh, doubleSinh, exp, exp2, expm1, tanh } from "./f64-exponential.ts";
import { lgamma } from "./f64-gamma.ts";
import { acosh, asinh, atanh, cosh, sinh } from "./f64-hyperbolic.ts";
import { log, log1p, log2 } from "./f64-logarithm.ts";
import { SINE_LIMIT, sine } from "./f64-sine.ts";
import { acos, asin, atan, atan2, TAN_LIMIT, tan } from "./f64-trigonometry.ts";
import { doubleFmod, floorDivide, fmod, mod } from "./float-division.ts";
import type { FloatOps, VectorOps } from "./float-ops.ts";
import { doublePower, power } from "./float-power.ts";
import type { Node } from "./nodes.ts";

/** Makes the result of a function from its operands. */
type VectorFunction = (ops: VectorOps, ...operands: readonly Node[]) => Node;

/** A function of one number of single precision that is computed in double precision. */
const rounded =
  (compute: (f: FloatOps, x: Node) => Node): ((ops: VectorOps, x: Node) => Node) =>
  ({ double, inDoubles }, x) =>
    inDoubles([x], (wide) => compute(double, wide));

const ofOne =
  (compute: (f: FloatOps, x: Node) => Node): VectorFunction =>
  ({ double }, x) =>
    compute(double, x!);

const ofTwo =
  (compute: (f: FloatOps, x: Node, y: Node) => Node, precision: "single" | "double"): VectorFunction =>
  ({ [precision]: f }, x, y) =>
    compute(f, x!, y!);

/** The functions by their names, which are those of helpers (see `helperFunction`). */
export const VECTOR_FUNCTIONS: { readonly [name: string]: VectorFunction | undefined } = {
  "exp.f64x2": ofOne(exp),
  "expm1.f64x2": ofOne(expm1),
  "tanh.f64x2": ofOne(tanh),
  "log.f64x2": ofOne(log),
  "log1p.f64x2": ofOne(log1p),
  "exp2.f64x2": ofOne(exp2),
  "log2.f64x2": ofOne(log2),
  "sinh.f64x2": ofOne(doubleSinh),
  "cosh.f64x2": ofOne(doubleCosh),
  "sin.f64x2": sineOr("sin.f64x2.each", 0),
  "cos.f64x2": sineOr("cos.f64x2.each", 1),
  "atan.f64x2": ofOne(doubleAtan),
  "atan2.f64x2": ofTwo(doubleAtan2, "double"),
  "hypot.f64x2": ofTwo(doubleHypotenuse, "double"),
  "erf.f64x2": ofOne(erf),
  "erfc.f64x2": ofOne(erfc),
  "erfinv.f64x2": ofOne(erfinv),
  "tan.f32x4": (ops, x) =>
    ops.single.unless(ops.single.gt(ops.single.abs(x), TAN_LIMIT), rounded(tan)(ops, x), "tan.f32x4.each", x),
  "asin.f32x4": rounded(asin),
  "acos.f32x4": rounded(acos),
  "atan.f32x4": rounded(atan),
  "atan2.f32x4": ({ double, inDoubles }, y, x) => inDoubles([y, x], (b, a) => atan2(double, b, a)),
  "sinh.f32x4": rounded(sinh),
  "cosh.f32x4": rounded(cosh),
  "asinh.f32x4": rounded(asinh),
  "acosh.f32x4": rounded(acosh),
  "atanh.f32x4": rounded(atanh),
  "erfc.f32x4": rounded(shortErfc),
  "erfinv.f32x4": rounded(shortErfinv),
  "lgamma.f32x4": (ops, x) => ops.single.unless(ops.single.lt(x, 0), rounded(lgamma)(ops, x), "lgamma.f32x4.each", x),
  "pow.f32x4": power,
  "pow.f64x2": ofTwo(doublePower, "double"),
  "hypot.f32x4": hypotenuse,
  "fmod.f32x4": fmod,
  "fmod.f64x2": ofTwo(doubleFmod, "double"),
  "mod.f32x4": ofTwo(mod, "single"),
  "mod.f64x2": ofTwo(mod, "double"),
  "floordiv.f32x4": ofTwo(floorDivide, "single"),
  "floordiv.f64x2": ofTwo(floorDivide, "double"),
  "nextafter.f32x4": ofTwo(nextAfter, "single"),
  "nextafter.f64x2": ofTwo(nextAfter, "double"),
};

/** The sine, or the cosine one quadrant ahead, which `helper` computes of large angles. */
function sineOr(helper: string, quadrantsAhead: 0 | 1): VectorFunction {
  return ({ double: f }, x) => f.unless(f.gt(f.abs(x!), SINE_LIMIT), sine(f, x!, quadrantsAhead), helper, x!);
}

/** Computes a length, whose squares double precision holds. An infinite side makes it infinite, also beside NaN. */
function hypotenuse({ g, single: f, double: d, inDoubles }: VectorOps, x: Node, y: Node): Node {
  const length = inDoubles([x, y], (a, b) => d.sqrt(d.add(d.mul(a, a), d.mul(b, b))));
  const isInfinite = (side: Node): Node => f.eq(f.abs(side), Number.POSITIVE_INFINITY);
  return f.choose(g.op("v128.or", isInfinite(x), isInfinite(y)), Number.POSITIVE_INFINITY, length);
}

/** Returns the neighbor of x in the direction of y. */
function nextAfter(f: FloatOps, x: Node, y: Node): Node {
  const { g } = f;
  const [ints, one, least] =
    f.shape === "f32x4" ? (["i32x4", g.i32x4(1), 2 ** -149] as const) : (["i64x2", g.i64x2(1n), 2 ** -1074] as const);
  // The bits of a number count up from zero, whatever its sign.
  const grows = g.op("v128.xor", f.gt(y, x), f.lt(x, 0));
  const neighbor = g.op(`${ints}.add`, x, f.choose(grows, one, g.i32x4(-1)));
  const moved = f.choose(f.eq(x, 0), f.withSign(least, y), neighbor);
  const isOrdered = g.op("v128.and", f.eq(x, x), f.eq(y, y));
  return f.choose(f.eq(x, y), y, f.choose(isOrdered, moved, Number.NaN));
}
