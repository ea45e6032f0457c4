import { DTYPES, type DType } from "@pt2/format";
import type { BinaryFn, TypedExpr, UnaryFn } from "@pt2/registry/scalar";
import { lanewise, wrapTo } from "./casts.ts";
import { type Lanes, representation } from "./lanes.ts";
import type { Node, NodeGraph } from "./nodes.ts";

type Shape = "i32x4" | "i64x2";

const shapeOf = (dtype: DType): Shape => (DTYPES[dtype].itemsize === 8 ? "i64x2" : "i32x4");

const constantOf = (g: NodeGraph, shape: Shape, value: number): Node =>
  shape === "i64x2" ? g.i64x2(BigInt(value)) : g.i32x4(value);

/** Lowers a function of one integer: `neg`, `abs` or `sign`. */
export function lowerIntUnary(g: NodeGraph, fn: UnaryFn, dtype: DType, lanes: Lanes): Lanes {
  const shape = shapeOf(dtype);
  const zero = constantOf(g, shape, 0);
  if (fn === "sign") {
    // A true lane of a mask is -1, so the operands of the difference are swapped.
    return lanes.map((x) => g.op(`${shape}.sub`, g.op(`${shape}.lt_s`, x, zero), g.op(`${shape}.gt_s`, x, zero)));
  }
  return wrapTo(
    g,
    dtype,
    lanes.map((x) => g.op(`${shape}.${fn === "neg" ? "neg" : "abs"}`, x)),
  );
}

/** Lowers a function of two integers or bools. `y` is the second operand's expression. */
export function lowerIntBinary(g: NodeGraph, fn: BinaryFn, dtype: DType, xs: Lanes, ys: Lanes, y: TypedExpr): Lanes {
  const made = xs.map((x, i) => lowerOne(g, fn, dtype, x, ys[i] as Node, y));
  return representation(dtype) === "mask" ? made : wrapTo(g, dtype, made);
}

function lowerOne(g: NodeGraph, fn: BinaryFn, dtype: DType, x: Node, y: Node, yExpr: TypedExpr): Node {
  const shape = shapeOf(dtype);
  switch (fn) {
    case "add":
    case "sub":
    case "mul":
      return g.op(`${shape}.${fn}`, x, y);
    case "and":
    case "or":
    case "xor":
      return g.op(`v128.${fn}`, x, y);
    case "min":
    case "max":
      if (shape === "i32x4") return g.op(`i32x4.${fn}_s`, x, y);
      return g.op("v128.bitselect", x, y, g.op(fn === "min" ? "i64x2.lt_s" : "i64x2.gt_s", x, y));
    case "truncdiv":
      return quotient(g, shape, x, y);
    case "fmod":
      return remainder(g, shape, x, y);
    case "floordiv": {
      // The mask of lanes where the quotient is too large by one is -1 there.
      return g.op(`${shape}.add`, quotient(g, shape, x, y), disagrees(g, shape, remainder(g, shape, x, y), y));
    }
    case "mod": {
      const rest = remainder(g, shape, x, y);
      return g.op(`${shape}.add`, rest, g.op("v128.and", y, disagrees(g, shape, rest, y)));
    }
    case "shl":
    case "shr":
      return shift(g, fn, dtype, x, y, yExpr);
    default:
      return power(g, shape, x, y);
  }
}

/**
 * Computes a quotient. The least integer over -1 wraps; zero divisors trap. In 64 bits the division by -1 is a
 * negation.
 */
function quotient(g: NodeGraph, shape: Shape, x: Node, y: Node): Node {
  if (shape === "i32x4") {
    return lanewise(g, shape, shape, [x, y], (a, b) =>
      g.op("i32.wrap_i64", g.op("i64.div_s", g.op("i64.extend_i32_s", a as Node), g.op("i64.extend_i32_s", b as Node))),
    );
  }
  const minusOne = g.op("i64x2.eq", y, g.i64x2(-1n));
  const safe = g.op("v128.bitselect", g.i64x2(1n), y, minusOne);
  const divided = lanewise(g, shape, shape, [x, safe], (a, b) => g.op("i64.div_s", a as Node, b as Node));
  return g.op("v128.bitselect", g.op("i64x2.neg", x), divided, minusOne);
}

function remainder(g: NodeGraph, shape: Shape, x: Node, y: Node): Node {
  const op = shape === "i32x4" ? "i32.rem_s" : "i64.rem_s";
  return lanewise(g, shape, shape, [x, y], (a, b) => g.op(op, a as Node, b as Node));
}

/** Returns a mask of lanes where the remainder is not zero and does not have the divisor's sign. */
function disagrees(g: NodeGraph, shape: Shape, rest: Node, y: Node): Node {
  const zero = constantOf(g, shape, 0);
  return g.op("v128.and", g.op(`${shape}.ne`, rest, zero), g.op(`${shape}.lt_s`, g.op("v128.xor", rest, y), zero));
}

/** Computes a shift. Counts that are negative or as large as the dtype shift everything out. */
function shift(g: NodeGraph, fn: "shl" | "shr", dtype: DType, x: Node, y: Node, yExpr: TypedExpr): Node {
  const shape = shapeOf(dtype);
  const bits = DTYPES[dtype].itemsize * 8;
  const op = fn === "shl" ? "shl" : "shr_s";
  const emptied =
    fn === "shl" ? constantOf(g, shape, 0) : g.op(`${shape}.shr_s`, x, g.i32(shape === "i64x2" ? 63 : 31));
  if (yExpr.kind === "const") {
    const count = Number(yExpr.value);
    return count >= 0 && count < bits ? g.op(`${shape}.${op}`, x, g.i32(count)) : emptied;
  }
  const scalar = shape === "i64x2" ? "i64" : "i32";
  const shifted = lanewise(g, shape, shape, [x, y], (a, b) => g.op(`${scalar}.${op}`, a as Node, b as Node));
  const low = g.op(`${shape}.lt_s`, y, constantOf(g, shape, 0));
  const out = g.op("v128.or", low, g.op(`${shape}.ge_s`, y, constantOf(g, shape, bits)));
  return g.op("v128.bitselect", emptied, shifted, out);
}

/** Computes a power with a 64-bit helper: its low bits depend on the low bits of the base alone. */
function power(g: NodeGraph, shape: Shape, x: Node, y: Node): Node {
  if (shape === "i64x2") return g.call("ipow.i64x2", "v128", x, y);
  const widen = (z: Node, half: "low" | "high"): Node => g.op(`i64x2.extend_${half}_i32x4_s`, z);
  const [low, high] = (["low", "high"] as const).map((half) =>
    g.call("ipow.i64x2", "v128", widen(x, half), widen(y, half)),
  ) as [Node, Node];
  return g.shuffle(low, high, [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]);
}
