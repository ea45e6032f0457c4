import { DTYPES, type DType } from "@pt2/format";
import { evaluator } from "./evaluator.ts";
import type { BinaryFn, UnaryFn } from "./expr.ts";
import { ELEMENTARY, type SpecialFn } from "./functions.ts";
import { isComparison, type TypedExpr } from "./typed.ts";
import { fold, withChildren } from "./walk.ts";

/**
 * Special functions are not folded: they are in modules of their own, which should not be loaded for a rare constant.
 */
const SPECIAL: ReadonlySet<UnaryFn> = new Set<SpecialFn>(["erf", "erfc", "erfinv", "lgamma", "digamma"]);

const evaluate = evaluator(ELEMENTARY);

/**
 * Simplifies an expression without changing its values, except for the payload of a NaN: folds constants, drops neutral
 * operands, merges lossless conversions, and computes powers with small constant exponents as PyTorch does.
 */
export function simplify(expr: TypedExpr): TypedExpr {
  return fold<TypedExpr>([expr], (node, of) => reduce(withChildren(node, of)))[0] as TypedExpr;
}

function reduce(node: TypedExpr): TypedExpr {
  switch (node.kind) {
    case "input":
      return node;
    case "const":
      return { ...node, value: evaluate(node, []) };
    case "cast":
      return node.x.kind === "const" ? constant(node) : reduceCast(node, node.x);
    case "unary":
      if (node.x.kind === "const" && !SPECIAL.has(node.fn)) return constant(node);
      return (node.fn === "not" || node.fn === "neg") && node.x.kind === "unary" && node.x.fn === node.fn
        ? node.x.x
        : node;
    case "select":
      if (node.c.kind === "const") return node.c.value ? node.x : node.y;
      return node.x === node.y ? node.x : node;
    case "binary":
      if (node.x.kind === "const" && node.y.kind === "const" && !dividesByZero(node)) return constant(node);
      return reduceBinary(node);
  }
}

const constant = (node: TypedExpr): TypedExpr => ({ kind: "const", dtype: node.dtype, value: evaluate(node, []) });

type Cast = Extract<TypedExpr, { readonly kind: "cast" }>;
type Binary = Extract<TypedExpr, { readonly kind: "binary" }>;

function reduceCast(node: Cast, x: TypedExpr): TypedExpr {
  if (x.dtype === node.dtype) return x;
  if (x.kind !== "cast" || !embeds(x.x.dtype, x.dtype)) return node;
  return x.x.dtype === node.dtype ? x.x : { ...node, x: x.x };
}

const DIVISIONS: ReadonlySet<BinaryFn> = new Set(["floordiv", "truncdiv", "mod", "fmod"]);

function dividesByZero({ fn, y }: Binary): boolean {
  return DIVISIONS.has(fn) && DTYPES[y.dtype].kind !== "float" && y.kind === "const" && Number(y.value) === 0;
}

function reduceBinary(node: Binary): TypedExpr {
  const { fn, x, y, dtype } = node;
  if (isComparison(fn)) return node;
  const float = DTYPES[dtype].kind === "float";
  // x + 0 turns -0 into 0, but x + -0 and x - 0 are x.
  if (fn === "add" && (is(y, -0) || (!float && is(y, 0)))) return x;
  if (fn === "add" && (is(x, -0) || (!float && is(x, 0)))) return y;
  if (fn === "sub" && is(y, 0)) return x;
  if (fn === "mul" && is(y, 1)) return x;
  if (fn === "mul" && is(x, 1)) return y;
  if ((fn === "div" || (fn === "truncdiv" && !float)) && is(y, 1)) return x;
  // Division by a power of two is a multiplication if the inverse is normal.
  if (fn === "div" && y.kind === "const" && isPowerOfTwo(Number(y.value))) {
    return { ...node, fn: "mul", y: { ...y, value: 1 / Number(y.value) } };
  }
  if (fn === "pow" && y.kind === "const") return reducePower(node, Number(y.value), float);
  return node;
}

const is = (node: TypedExpr, value: number): boolean => node.kind === "const" && Object.is(Number(node.value), value);

function isPowerOfTwo(value: number): boolean {
  const exponent = Math.log2(Math.abs(value));
  return Number.isInteger(exponent) && Math.abs(exponent) < 126 && Math.abs(value) === 2 ** exponent;
}

function reducePower(node: Binary, exponent: number, float: boolean): TypedExpr {
  const { x, dtype } = node;
  const mul = (a: TypedExpr, b: TypedExpr): TypedExpr => ({ kind: "binary", dtype, fn: "mul", x: a, y: b });
  const one: TypedExpr = { kind: "const", dtype, value: dtype === "int64" || dtype === "uint64" ? 1n : 1 };
  const inverse = (a: TypedExpr): TypedExpr => ({ kind: "binary", dtype, fn: "div", x: one, y: a });
  const root: TypedExpr = { kind: "unary", dtype, fn: "sqrt", x };
  if (exponent === 0) return one;
  if (exponent === 1) return x;
  if (exponent === 2) return mul(x, x);
  if (exponent === 3) return mul(mul(x, x), x);
  if (!float) return node;
  if (exponent === 0.5) return root;
  if (exponent === -0.5) return inverse(root);
  if (exponent === -1) return inverse(x);
  return exponent === -2 ? inverse(mul(x, x)) : node;
}

/** The numbers of significant bits and of exponent bits. */
const FLOATS: { readonly [D in DType]?: readonly [number, number] } = {
  float16: [11, 5],
  bfloat16: [8, 8],
  float32: [24, 8],
  float64: [53, 11],
};

/** Returns whether every value of the first dtype is a value of the second. */
export function embeds(from: DType, to: DType): boolean {
  const [a, b] = [DTYPES[from], DTYPES[to]];
  if (from === to || a.kind === "bool") return true;
  const [precision, exponent] = FLOATS[to] ?? [0, 0];
  if (a.kind === "float") return (FLOATS[from]?.[0] ?? 99) <= precision && (FLOATS[from]?.[1] ?? 99) <= exponent;
  const magnitude = a.itemsize * 8 - (a.kind === "int" ? 1 : 0);
  if (b.kind === "float") return magnitude <= precision;
  if (b.kind === "int") return magnitude <= b.itemsize * 8 - 1;
  return b.kind === "uint" && a.kind === "uint" && a.itemsize <= b.itemsize;
}
