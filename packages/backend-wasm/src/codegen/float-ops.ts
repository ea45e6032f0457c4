// Arithmetic on float nodes with plain numbers as constants, in which the approximations of this folder are written.
import { hasRelaxedSimd } from "../relaxed-simd.ts";
import type { Node, NodeGraph } from "./nodes.ts";

/** An operand: a vector, or a number that stands for a vector of it. */
export type Operand = Node | number;

/** Functions that make nodes of one shape. */
export interface FloatOps {
  readonly g: NodeGraph;
  readonly shape: "f32x4" | "f64x2";
  add(x: Operand, y: Operand): Node;
  sub(x: Operand, y: Operand): Node;
  mul(x: Operand, y: Operand): Node;
  div(x: Operand, y: Operand): Node;
  sqrt(x: Node): Node;
  /** Computes x y + z, with one rounding where the engine can. */
  mulAdd(x: Operand, y: Operand, z: Operand): Node;
  /**
   * Returns the bound where x is beyond it, else x: a NaN stays. This is one instruction on x86, unlike min and max.
   */
  atMost(x: Operand, bound: Operand): Node;
  atLeast(x: Operand, bound: Operand): Node;
  eq(x: Operand, y: Operand): Node;
  lt(x: Operand, y: Operand): Node;
  gt(x: Operand, y: Operand): Node;
  /** Computes c[0] + c[1] x + c[2] x² + … */
  polynomial(x: Node, coefficients: readonly number[]): Node;
  choose(mask: Node, x: Operand, y: Operand): Node;
  /** Returns the magnitude of x with the sign of y. */
  withSign(x: Operand, y: Node): Node;
  abs(x: Node): Node;
  /** Returns x, but what the helper returns where the mask of any lane is set. */
  unless(mask: Node, x: Node, helper: string, ...operands: readonly Node[]): Node;
}

/** Returns the operations on four numbers of single precision. */
export const f32Ops = (g: NodeGraph): FloatOps => floatOps(g, "f32x4", g.f32x4, g.i32x4(0x7fffffff));

/** Returns the operations on two numbers of double precision. */
export const f64Ops = (g: NodeGraph): FloatOps => floatOps(g, "f64x2", g.f64x2, g.i64x2((1n << 63n) - 1n));

/** What functions of vectors are made of. */
export interface VectorOps {
  readonly g: NodeGraph;
  readonly single: FloatOps;
  readonly double: FloatOps;
  /** Computes what becomes of single precision in double precision, and rounds it once. */
  inDoubles(given: readonly Node[], compute: (...wide: Node[]) => Node): Node;
}

function floatOps(
  g: NodeGraph,
  shape: "f32x4" | "f64x2",
  constant: (value: number) => Node,
  magnitude: Node,
): FloatOps {
  const of = (x: Operand): Node => (typeof x === "number" ? constant(x) : x);
  const two =
    (op: "add" | "sub" | "mul" | "div" | "pmin" | "pmax" | "eq" | "lt" | "gt") =>
    (x: Operand, y: Operand): Node =>
      g.op(`${shape}.${op}`, of(x), of(y));
  const [add, mul] = [two("add"), two("mul")];
  const mulAdd = (x: Operand, y: Operand, z: Operand): Node =>
    hasRelaxedSimd() ? g.op(`${shape}.relaxed_madd`, of(x), of(y), of(z)) : add(mul(x, y), z);
  return {
    g,
    shape,
    add,
    mul,
    mulAdd,
    sub: two("sub"),
    div: two("div"),
    sqrt: (x) => g.op(`${shape}.sqrt`, x),
    atMost: two("pmin"),
    atLeast: two("pmax"),
    eq: two("eq"),
    lt: two("lt"),
    gt: two("gt"),
    polynomial(x, coefficients) {
      // Horner's order has the fewest operations. Each waits for the one before, but there are other vectors beside this one.
      return of(coefficients.reduceRight<Operand | null>((sum, c) => (sum === null ? c : mulAdd(sum, x, c)), null)!);
    },
    choose(mask, x, y) {
      if (Object.is(x, 0)) return g.op("v128.andnot", of(y), mask);
      return Object.is(y, 0) ? g.op("v128.and", of(x), mask) : g.op("v128.bitselect", of(x), of(y), mask);
    },
    withSign: (x, y) => g.op("v128.bitselect", of(x), y, magnitude),
    abs: (x) => g.op(`${shape}.abs`, x),
    unless: (mask, x, helper, ...operands) => g.any(g.op("v128.any_true", mask), x, helper, ...operands),
  };
}
