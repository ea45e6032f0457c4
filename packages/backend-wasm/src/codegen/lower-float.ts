import type { DType } from "@pt2/format";
import type { BinaryFn, TypedExpr, UnaryFn } from "@pt2/registry/scalar";
import { erf, exp, exp2, expm1, tanh } from "./f32-exponential.ts";
import { log, log1p, log2, log10 } from "./f32-logarithm.ts";
import { sine } from "./f32-trigonometry.ts";
import type { Lanes } from "./lanes.ts";
import type { Node, NodeGraph } from "./nodes.ts";
import type { Instruction } from "./opcodes.ts";

type Shape = "f32x4" | "f64x2";

const NATIVE_UNARY: { readonly [F in UnaryFn]?: string } = {
  neg: "neg",
  abs: "abs",
  sqrt: "sqrt",
  ceil: "ceil",
  floor: "floor",
  trunc: "trunc",
  round: "nearest",
};

const F32_UNARY: { readonly [F in UnaryFn]?: (g: NodeGraph, x: Node) => Node } = {
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  tanh,
  erf,
  sin: (g, x) => sine(g, x, 0, "sin.f32x4"),
  cos: (g, x) => sine(g, x, 1, "cos.f32x4"),
};

/**
 * Lowers a function of one float. A function with neither an instruction nor an approximation is a helper that calls
 * JavaScript.
 */
export function lowerFloatUnary(g: NodeGraph, fn: UnaryFn, dtype: DType, lanes: Lanes): Lanes {
  const shape = shapeOf(dtype);
  const native = NATIVE_UNARY[fn];
  const approximation = shape === "f32x4" ? F32_UNARY[fn] : undefined;
  return lanes.map((x) => {
    if (native) return g.op(`${shape}.${native}` as Instruction, x);
    if (approximation) return approximation(g, x);
    if (fn === "sign") return sign(g, shape, x);
    return g.call(`${fn}.${shape}`, "v128", x);
  });
}

const shapeOf = (dtype: DType): Shape => (dtype === "float64" ? "f64x2" : "f32x4");

const constantOf = (g: NodeGraph, shape: Shape, value: number): Node =>
  shape === "f64x2" ? g.f64x2(value) : g.f32x4(value);

/** Computes (x > 0) - (x < 0), which is 0 for NaN. */
function sign(g: NodeGraph, shape: Shape, x: Node): Node {
  const [zero, one] = [constantOf(g, shape, 0), constantOf(g, shape, 1)];
  const part = (test: "gt" | "lt"): Node => g.op("v128.and", g.op(`${shape}.${test}`, x, zero), one);
  return g.op(`${shape}.sub`, part("gt"), part("lt"));
}

const NATIVE_BINARY: { readonly [F in BinaryFn]?: "add" | "sub" | "mul" | "div" } = {
  add: "add",
  sub: "sub",
  mul: "mul",
  div: "div",
};

/** Lowers a function of two floats; `y` is the second operand's expression. */
export function lowerFloatBinary(
  g: NodeGraph,
  fn: BinaryFn,
  dtype: DType,
  xs: Lanes,
  ys: Lanes,
  yExpr: TypedExpr,
): Lanes {
  const shape = shapeOf(dtype);
  return xs.map((x, i) => lowerOne(g, fn, shape, x, ys[i] as Node, yExpr));
}

function lowerOne(g: NodeGraph, fn: BinaryFn, shape: Shape, x: Node, y: Node, yExpr: TypedExpr): Node {
  const native = NATIVE_BINARY[fn];
  if (native) return g.op(`${shape}.${native}`, x, y);
  switch (fn) {
    case "min":
    case "max":
      return extreme(g, fn, shape, x, y);
    case "truncdiv":
      return g.op(`${shape}.trunc`, g.op(`${shape}.div`, x, y));
    case "copysign":
      return g.op("v128.bitselect", x, y, magnitudeMask(g, shape));
    case "mod":
      return wrapRemainder(g, shape, g.call(`fmod.${shape}`, "v128", x, y), y);
    case "floordiv":
      return floorDivide(g, shape, x, y);
    case "pow": {
      const exponent = yExpr.kind === "const" ? Number(yExpr.value) : Number.NaN;
      const power = Number.isInteger(exponent) && Math.abs(exponent) <= 16 ? integerPower(g, shape, x, exponent) : null;
      return power ?? anyPower(g, shape, x, y, Number.isFinite(exponent));
    }
    case "hypot":
      return shape === "f32x4" ? hypotenuse(g, x, y) : g.call(`${fn}.${shape}`, "v128", x, y);
    default:
      return g.call(`${fn}.${shape}`, "v128", x, y);
  }
}

const magnitudeMask = (g: NodeGraph, shape: Shape): Node =>
  shape === "f64x2" ? g.i64x2((1n << 63n) - 1n) : g.i32x4(0x7fffffff);

/**
 * With a constant bound the one-instruction form keeps a NaN of the other operand; which zero it gives is unspecified.
 */
function extreme(g: NodeGraph, fn: "min" | "max", shape: Shape, x: Node, y: Node): Node {
  if (isBound(y)) return g.op(`${shape}.p${fn}`, x, y);
  return isBound(x) ? g.op(`${shape}.p${fn}`, y, x) : g.op(`${shape}.${fn}`, x, y);
}

/** Whether a node is a constant vector without a NaN: no lane has an exponent of all ones. */
function isBound(node: Node): boolean {
  if (node.op !== "v128.const") return false;
  const view = new DataView(Uint8Array.from(node.immediates).buffer);
  return !Number.isNaN(view.getFloat32(0, true)) && !Number.isNaN(view.getFloat64(0, true));
}

function wrapRemainder(g: NodeGraph, shape: Shape, rest: Node, y: Node): Node {
  return g.op("v128.bitselect", g.op(`${shape}.add`, rest, y), rest, disagrees(g, shape, rest, y));
}

/** Returns a mask of lanes where the remainder is not zero and does not have the divisor's sign. */
function disagrees(g: NodeGraph, shape: Shape, rest: Node, y: Node): Node {
  const zero = constantOf(g, shape, 0);
  const negative = (z: Node): Node => g.op(`${shape}.lt`, z, zero);
  return g.op("v128.and", g.op(`${shape}.ne`, rest, zero), g.op("v128.xor", negative(rest), negative(y)));
}

/** Computes PyTorch's div_floor from the remainder, so that it agrees with `mod`. */
function floorDivide(g: NodeGraph, shape: Shape, x: Node, y: Node): Node {
  const constant = (value: number): Node => constantOf(g, shape, value);
  const rest = g.call(`fmod.${shape}`, "v128", x, y);
  const plain = g.op(`${shape}.div`, x, y);
  const exact = g.op(`${shape}.div`, g.op(`${shape}.sub`, x, rest), y);
  const lowered = g.op("v128.bitselect", g.op(`${shape}.sub`, exact, constant(1)), exact, disagrees(g, shape, rest, y));
  const floor = g.op(`${shape}.floor`, lowered);
  const above = g.op(`${shape}.gt`, g.op(`${shape}.sub`, lowered, floor), constant(0.5));
  const quotient = g.op("v128.bitselect", g.op(`${shape}.add`, floor, constant(1)), floor, above);
  const signedZero = g.op("v128.bitselect", constant(0), plain, magnitudeMask(g, shape));
  const result = g.op("v128.bitselect", signedZero, quotient, g.op(`${shape}.eq`, lowered, constant(0)));
  return g.op("v128.bitselect", plain, result, g.op(`${shape}.eq`, y, constant(0)));
}

/** Computes C's pow: unlike in JavaScript, 1 to any power is 1, and so is -1 to an infinite one. */
function anyPower(g: NodeGraph, shape: Shape, x: Node, y: Node, hasFiniteExponent: boolean): Node {
  const power = g.call(`pow.${shape}`, "v128", x, y);
  if (hasFiniteExponent) return power;
  const [one, infinity] = [constantOf(g, shape, 1), constantOf(g, shape, Number.POSITIVE_INFINITY)];
  const isSize = (z: Node, size: Node): Node => g.op(`${shape}.eq`, g.op(`${shape}.abs`, z), size);
  const isUnit = g.op("v128.and", isSize(x, one), isSize(y, infinity));
  return g.op("v128.bitselect", one, power, g.op("v128.or", isUnit, g.op(`${shape}.eq`, x, one)));
}

/**
 * Computes a power by squaring, in float32 with products in double precision, so that the result is rounded once. Squares
 * and cubes are plain products, as they are in PyTorch.
 */
function integerPower(g: NodeGraph, shape: Shape, x: Node, exponent: number): Node | null {
  if (exponent === 2 || exponent === 3) {
    const square = g.op(`${shape}.mul`, x, x);
    return exponent === 2 ? square : g.op(`${shape}.mul`, square, x);
  }
  if (shape === "f64x2" || exponent < 0) return null;
  return inDoubles(g, [x], ([given]) => {
    let [result, base] = [g.f64x2(1), given!];
    for (let rest = exponent; rest > 0; rest >>= 1) {
      if (rest & 1) result = g.op("f64x2.mul", result, base);
      if (rest > 1) base = g.op("f64x2.mul", base, base);
    }
    return result;
  });
}

/** Computes a length of float32, whose squares double precision holds. An infinite side makes it infinite, also beside NaN. */
function hypotenuse(g: NodeGraph, x: Node, y: Node): Node {
  const length = inDoubles(g, [x, y], (sides) => {
    const [a, b] = sides.map((side) => g.op("f64x2.mul", side, side)) as [Node, Node];
    return g.op("f64x2.sqrt", g.op("f64x2.add", a, b));
  });
  const infinity = constantOf(g, "f32x4", Number.POSITIVE_INFINITY);
  const [left, right] = [x, y].map((side) => g.op("f32x4.eq", g.op("f32x4.abs", side), infinity)) as [Node, Node];
  return g.op("v128.bitselect", infinity, length, g.op("v128.or", left, right));
}

/** Computes what becomes of float32 in double precision, and rounds it once. */
function inDoubles(g: NodeGraph, given: readonly Node[], compute: (wide: readonly Node[]) => Node): Node {
  const upper = (x: Node): Node => g.shuffle(x, x, [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15]);
  const [low, high] = [given, given.map(upper)].map((lanes) =>
    g.op("f32x4.demote_f64x2_zero", compute(lanes.map((lane) => g.op("f64x2.promote_low_f32x4", lane)))),
  ) as [Node, Node];
  return g.shuffle(low, high, [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]);
}
