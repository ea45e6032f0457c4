// Lowers typed expressions to instructions on four elements.
import { DTYPES, type DType } from "@pt2/format";
import { convert, fold, isComparison, type ScalarValue, type TypedExpr, type UnaryFn } from "@pt2/registry/scalar";
import { castLanes, narrowMask, widenMask } from "./casts.ts";
import { onePlusErf, onePlusExp, onePlusTanh } from "./f32-exponential.ts";
import { type Lanes, representation } from "./lanes.ts";
import { lowerFloatBinary, lowerFloatUnary } from "./lower-float.ts";
import { lowerIntBinary, lowerIntUnary } from "./lower-int.ts";
import type { Node, NodeGraph } from "./nodes.ts";

/** Lowers several expressions over the same elements. `input` returns four elements of an operand. */
export function lower(g: NodeGraph, roots: readonly TypedExpr[], input: (index: number) => Lanes): readonly Lanes[] {
  return fold<Lanes>(roots, (node, of) => {
    switch (node.kind) {
      case "input":
        return input(node.index);
      case "const":
        return constant(g, node.dtype, convert(node.dtype, node.value));
      case "cast":
        return castLanes(g, node.x.dtype, node.dtype, of(node.x));
      case "select": {
        const masks = widenMask(g, of(node.c)[0] as Node, representation(node.dtype) ?? "f32");
        const [xs, ys] = [of(node.x), of(node.y)];
        return masks.map((mask, i) => g.op("v128.bitselect", xs[i] as Node, ys[i] as Node, mask));
      }
      case "unary":
        return lowerUnary(g, node.fn, node.x.dtype, of(node.x));
      case "binary": {
        const { fn, x, y } = node;
        if (isComparison(fn)) return compare(g, fn as Comparison, x.dtype, of(x), of(y));
        const beside = fn === "add" && node.dtype === "float32" ? besideOne(x, y) : null;
        if (beside) return [beside.onePlus(g, of(beside.x)[0] as Node)];
        if (DTYPES[node.dtype].kind === "float") {
          if (fn === "pow" && x.kind === "const" && x.value === 2) return lowerFloatUnary(g, "exp2", node.dtype, of(y));
          return lowerFloatBinary(g, fn, node.dtype, of(x), of(y), y);
        }
        return lowerIntBinary(g, fn, node.dtype, of(x), of(y), y);
      }
    }
  });
}

/** Functions of which one plus the result costs less than the function and an addition, as in sigmoid and GELU. */
const ADDED_TO_ONE: { readonly [F in UnaryFn]?: OnePlus } = { exp: onePlusExp, erf: onePlusErf, tanh: onePlusTanh };

type OnePlus = (g: NodeGraph, x: Node) => Node;

function besideOne(x: TypedExpr, y: TypedExpr): { readonly onePlus: OnePlus; readonly x: TypedExpr } | null {
  const [one, other] = x.kind === "const" ? [x, y] : [y, x];
  if (one.kind !== "const" || one.value !== 1 || other.kind !== "unary") return null;
  const onePlus = ADDED_TO_ONE[other.fn];
  return onePlus === undefined ? null : { onePlus, x: other.x };
}

function constant(g: NodeGraph, dtype: DType, value: ScalarValue): Lanes {
  switch (representation(dtype)) {
    case "mask":
      return [g.i32x4(value ? -1 : 0)];
    case "i64":
      return [g.i64x2(BigInt(value)), g.i64x2(BigInt(value))];
    case "f64":
      return [g.f64x2(Number(value)), g.f64x2(Number(value))];
    case "f32":
      return [g.f32x4(Number(value))];
    case "small":
      return castLanes(g, "float32", dtype, [g.f32x4(Number(value))]);
    default:
      return [g.i32x4(Number(value))];
  }
}

function lowerUnary(g: NodeGraph, fn: UnaryFn, dtype: DType, lanes: Lanes): Lanes {
  if (fn === "isnan") return compare(g, "ne", dtype, lanes, lanes);
  if (fn === "isinf") {
    const infinity = constant(g, dtype, Number.POSITIVE_INFINITY);
    return compare(g, "eq", dtype, lowerFloatUnary(g, "abs", dtype, lanes), infinity);
  }
  if (fn === "not") {
    const inverted = lanes.map((x) => g.op("v128.not", x));
    return DTYPES[dtype].kind === "uint"
      ? inverted.map((x) => g.op("v128.and", x, g.i32x4(unsignedMask(dtype))))
      : inverted;
  }
  return DTYPES[dtype].kind === "float" ? lowerFloatUnary(g, fn, dtype, lanes) : lowerIntUnary(g, fn, dtype, lanes);
}

const unsignedMask = (dtype: DType): number => 2 ** (8 * DTYPES[dtype].itemsize) - 1;

type Comparison = "eq" | "ne" | "lt" | "le" | "gt" | "ge";

function compare(g: NodeGraph, fn: Comparison, dtype: DType, xs: Lanes, ys: Lanes): Lanes {
  const both = (make: (x: Node, y: Node) => Node): Node[] => xs.map((x, i) => make(x, ys[i] as Node));
  const signed = fn === "eq" || fn === "ne" ? fn : (`${fn}_s` as const);
  switch (representation(dtype)) {
    case "f32":
      return both((x, y) => g.op(`f32x4.${fn}`, x, y));
    case "f64":
      return [
        narrowMask(
          g,
          both((x, y) => g.op(`f64x2.${fn}`, x, y)),
        ),
      ];
    case "i64":
      return [
        narrowMask(
          g,
          both((x, y) => g.op(`i64x2.${signed}`, x, y)),
        ),
      ];
    case "mask":
      // A true lane is -1, so the order of masks is the reverse of that of bools.
      return both((x, y) => g.op(`i32x4.${signed}`, ...(signed === fn ? [x, y] : [y, x])));
    default:
      return both((x, y) => g.op(`i32x4.${signed}`, x, y));
  }
}
