import type { DType } from "@pt2/format";
import type { BinaryFn, TypedExpr, UnaryFn } from "@pt2/registry/scalar";
import { inDoubles } from "./doubles.ts";
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
  sin: (g, x) => sine(g, x, 0, "sin.f32x4.each"),
  cos: (g, x) => sine(g, x, 1, "cos.f32x4.each"),
};

/**
 * Lowers a function of one float. A function with neither an instruction nor an approximation here is a call of a helper
 * (see `helperFunction`).
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
    case "pow":
      return constantPower(g, shape, x, yExpr) ?? g.call(`pow.${shape}`, "v128", x, y);
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

/**
 * Computes a power with a small whole exponent by squaring, in float32 with products in double precision, so that the
 * result is rounded once. Squares and cubes are plain products, as they are in PyTorch.
 */
function constantPower(g: NodeGraph, shape: Shape, x: Node, y: TypedExpr): Node | null {
  const exponent = y.kind === "const" ? Number(y.value) : Number.NaN;
  if (exponent === 2 || exponent === 3) {
    const square = g.op(`${shape}.mul`, x, x);
    return exponent === 2 ? square : g.op(`${shape}.mul`, square, x);
  }
  if (shape === "f64x2" || !(Number.isInteger(exponent) && exponent >= 0 && exponent <= 16)) return null;
  return inDoubles(g, [x], (given) => {
    let [result, base] = [g.f64x2(1), given];
    for (let rest = exponent; rest > 0; rest >>= 1) {
      if (rest & 1) result = g.op("f64x2.mul", result, base);
      if (rest > 1) base = g.op("f64x2.mul", base, base);
    }
    return result;
  });
}
