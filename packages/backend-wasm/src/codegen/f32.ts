// Arithmetic on f32x4 nodes with plain numbers as constants, in which the approximations of this folder are written.
import { hasRelaxedSimd } from "../relaxed-simd.ts";
import type { Node, NodeGraph } from "./nodes.ts";

/** An operand: a vector, or a number that stands for four of it. */
export type F32 = Node | number;

/** Functions that make f32x4 nodes. */
export interface F32Ops {
  add(x: F32, y: F32): Node;
  sub(x: F32, y: F32): Node;
  mul(x: F32, y: F32): Node;
  div(x: F32, y: F32): Node;
  /** Computes x y + z, with one rounding where the engine can. */
  mulAdd(x: F32, y: F32, z: F32): Node;
  /**
   * Returns the bound where x is beyond it, else x: a NaN stays. This is one instruction on x86, unlike min and max.
   */
  atMost(x: F32, bound: F32): Node;
  atLeast(x: F32, bound: F32): Node;
  lt(x: F32, y: F32): Node;
  gt(x: F32, y: F32): Node;
  /** Computes c[0] + c[1] x + c[2] x² + … */
  polynomial(x: Node, coefficients: readonly number[]): Node;
  choose(mask: Node, x: F32, y: F32): Node;
  /** Returns the magnitude of x with the sign of y. */
  withSign(x: Node, y: Node): Node;
  abs(x: Node): Node;
}

/** Returns the operations over a graph. */
export function f32Ops(g: NodeGraph): F32Ops {
  const of = (x: F32): Node => (typeof x === "number" ? g.f32x4(x) : x);
  const add = (x: F32, y: F32): Node => g.op("f32x4.add", of(x), of(y));
  const mul = (x: F32, y: F32): Node => g.op("f32x4.mul", of(x), of(y));
  const mulAdd = (x: F32, y: F32, z: F32): Node =>
    hasRelaxedSimd() ? g.op("f32x4.relaxed_madd", of(x), of(y), of(z)) : add(mul(x, y), z);
  return {
    add,
    mul,
    mulAdd,
    sub: (x, y) => g.op("f32x4.sub", of(x), of(y)),
    div: (x, y) => g.op("f32x4.div", of(x), of(y)),
    atMost: (x, bound) => g.op("f32x4.pmin", of(x), of(bound)),
    atLeast: (x, bound) => g.op("f32x4.pmax", of(x), of(bound)),
    lt: (x, y) => g.op("f32x4.lt", of(x), of(y)),
    gt: (x, y) => g.op("f32x4.gt", of(x), of(y)),
    polynomial(x, coefficients) {
      // Horner's order has the fewest operations. Each waits for the one before, but there are other vectors beside this one.
      return of(coefficients.reduceRight<F32 | null>((sum, c) => (sum === null ? c : mulAdd(sum, x, c)), null) as F32);
    },
    choose(mask, x, y) {
      if (Object.is(x, 0)) return g.op("v128.andnot", of(y), mask);
      return Object.is(y, 0) ? g.op("v128.and", of(x), mask) : g.op("v128.bitselect", of(x), of(y), mask);
    },
    withSign: (x, y) => g.op("v128.bitselect", x, y, g.i32x4(0x7fffffff)),
    abs: (x) => g.op("f32x4.abs", x),
  };
}
