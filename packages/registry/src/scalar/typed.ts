import { DTYPES, type DType } from "@pt2/format";
import { computeDtype, isBareUnsigned, isHalfPrecision } from "../dtype-promotion.ts";
import { registryError } from "../registry-errors.ts";
import type { BinaryFn, ScalarExpr, UnaryFn } from "./expr.ts";
import { IN_STEPS } from "./half-precision.ts";
import { wrap } from "./wrap.ts";

/** The value of one element: bigint for 64-bit integers, boolean for bool, number for the rest. */
export type ScalarValue = number | bigint | boolean;

/**
 * A scalar expression in which every node has its dtype and every conversion is a `cast`.
 *
 * The operands of `unary` and `binary` have the dtype of the node, except for comparisons and `isnan`/`isinf`, whose
 * result is bool. Float arithmetic is in float32 or float64 only; float16 occurs as input, result and cast. Nodes may
 * be shared: an expression is a directed acyclic graph, and a traversal must visit each node once.
 */
export type TypedExpr =
  | { readonly kind: "input"; readonly dtype: DType; readonly index: number }
  | { readonly kind: "const"; readonly dtype: DType; readonly value: ScalarValue }
  | { readonly kind: "unary"; readonly dtype: DType; readonly fn: UnaryFn; readonly x: TypedExpr }
  | {
      readonly kind: "binary";
      readonly dtype: DType;
      readonly fn: BinaryFn;
      readonly x: TypedExpr;
      readonly y: TypedExpr;
    }
  | {
      readonly kind: "select";
      readonly dtype: DType;
      readonly c: TypedExpr;
      readonly x: TypedExpr;
      readonly y: TypedExpr;
    }
  | { readonly kind: "cast"; readonly dtype: DType; readonly x: TypedExpr };

/** The dtypes in which an expression is evaluated. */
export interface TypeRules {
  /** The promoted dtype; float16 and bfloat16 are computed in float32, as in PyTorch's kernels. */
  readonly compute: DType;
  /** The dtype of each tensor operand, by input index. */
  readonly operands: readonly DType[];
  readonly result: DType;
}

const COMPARISONS: ReadonlySet<BinaryFn> = new Set(["eq", "ne", "lt", "le", "gt", "ge"]);
/** These functions return bool for bools, whatever the compute dtype. */
const LOGICAL: ReadonlySet<BinaryFn> = new Set(["and", "or", "xor"]);
const BITWISE: ReadonlySet<BinaryFn> = new Set(["and", "or", "xor", "shl", "shr"]);
const FLOAT_ONLY: ReadonlySet<BinaryFn> = new Set(["div", "atan2", "copysign", "hypot", "nextafter"]);
const ROUNDINGS: ReadonlySet<UnaryFn> = new Set(["ceil", "floor", "trunc", "round"]);
const EVERY_NUMBER: ReadonlySet<UnaryFn> = new Set(["neg", "abs", "sign"]);
/** What PyTorch computes of uint16, uint32 and uint64. */
const ON_UNSIGNED: ReadonlySet<BinaryFn> = new Set(["mul", "and", "or", "xor", "eq", "ne"]);
/** Arithmetic on bools, as PyTorch defines it. A missing function is an error in PyTorch too. */
const ON_BOOL: { readonly [F in BinaryFn]?: BinaryFn } = {
  add: "or",
  max: "or",
  mul: "and",
  min: "and",
  and: "and",
  or: "or",
  xor: "xor",
};

/** Returns whether a function's result is bool. */
export function isComparison(fn: BinaryFn): boolean {
  return COMPARISONS.has(fn);
}

/** Converts to a dtype; returns an expression of that dtype unchanged. */
export function castTo(dtype: DType, x: TypedExpr): TypedExpr {
  return x.dtype === dtype ? x : { kind: "cast", dtype, x };
}

/** Resolves the dtype of every node. Throws `registry.scalar-dtype` for a function that does not support the dtype. */
export function typeExpr(expr: ScalarExpr, rules: TypeRules): TypedExpr {
  const half = isHalfPrecision(rules.compute) ? rules.compute : null;
  const compute = computeDtype(rules.compute);
  const memo = new Map<ScalarExpr, TypedExpr>();
  const visit = (node: ScalarExpr): TypedExpr => {
    const known = memo.get(node);
    if (known) return known;
    const typed = typeNode(node);
    memo.set(node, typed);
    return typed;
  };
  const number = (node: ScalarExpr): TypedExpr => {
    if (node.kind === "const" && node.value !== true && node.value !== false) {
      return constant(compute, node.value);
    }
    return castTo(compute, visit(node));
  };
  const typeNode = (node: ScalarExpr): TypedExpr => {
    switch (node.kind) {
      case "input": {
        const dtype = rules.operands[node.index];
        if (dtype === undefined) throw mistyped(`there is no operand ${node.index}`);
        return { kind: "input", dtype, index: node.index };
      }
      case "const":
        return constant(typeof node.value === "boolean" ? "bool" : compute, node.value);
      case "cast":
        return castTo(node.to, visit(node.x));
      case "select": {
        const c = castTo("bool", visit(node.c));
        const [x, y] = [visit(node.x), visit(node.y)];
        if (x.dtype === "bool" && y.dtype === "bool") return { kind: "select", dtype: "bool", c, x, y };
        return { kind: "select", dtype: compute, c, x: number(node.x), y: number(node.y) };
      }
      case "unary":
        return typeUnary(node.fn, node.fn === "not" ? visit(node.x) : number(node.x));
      case "binary": {
        if (LOGICAL.has(node.fn)) {
          const [x, y] = [visit(node.x), visit(node.y)];
          if (x.dtype === "bool" && y.dtype === "bool") return typeBinary(node.fn, x, y);
        }
        const steps = half && IN_STEPS[node.fn];
        return steps ? visit(steps(node.x, node.y, half)) : typeBinary(node.fn, number(node.x), number(node.y));
      }
    }
  };
  return castTo(rules.result, visit(expr));
}

/** A literal of a dtype; a whole number that an integer dtype lacks wraps, where a float would be cut off. */
function constant(dtype: DType, value: ScalarValue): TypedExpr {
  const { kind, itemsize } = DTYPES[dtype];
  const isNarrow = (kind === "int" || kind === "uint") && itemsize < 8;
  const isInteger = isNarrow && typeof value === "number" && Number.isInteger(value);
  return { kind: "const", dtype, value: isInteger ? wrap(dtype, BigInt(value)) : value };
}

function typeUnary(fn: UnaryFn, x: TypedExpr): TypedExpr {
  const { kind } = DTYPES[x.dtype];
  if (isBareUnsigned(x.dtype) && (fn === "not" || EVERY_NUMBER.has(fn))) throw unavailable(fn, x.dtype);
  if (fn === "not") return { kind: "unary", fn, ...(kind === "float" ? asBool(x) : { dtype: x.dtype, x }) };
  if (fn === "isnan" || fn === "isinf") {
    return kind === "float" ? { kind: "unary", dtype: "bool", fn, x } : { kind: "const", dtype: "bool", value: false };
  }
  if (kind !== "float") {
    if (ROUNDINGS.has(fn) || (kind === "bool" && (fn === "abs" || fn === "sign"))) return x;
    if (kind === "bool" || kind === "complex" || !EVERY_NUMBER.has(fn)) throw unavailable(fn, x.dtype);
  }
  return { kind: "unary", dtype: x.dtype, fn, x };
}

const asBool = (x: TypedExpr): { readonly dtype: DType; readonly x: TypedExpr } => ({
  dtype: "bool",
  x: castTo("bool", x),
});

function typeBinary(fn: BinaryFn, x: TypedExpr, y: TypedExpr): TypedExpr {
  const { dtype } = x;
  const { kind } = DTYPES[dtype];
  if (kind === "complex" || (isBareUnsigned(dtype) && !ON_UNSIGNED.has(fn))) throw unavailable(fn, dtype);
  if (COMPARISONS.has(fn)) return { kind: "binary", dtype: "bool", fn, x, y };
  if (kind === "bool") {
    const known = ON_BOOL[fn];
    if (known === undefined) throw unavailable(fn, dtype);
    return { kind: "binary", dtype, fn: known, x, y };
  }
  if (kind === "float" ? BITWISE.has(fn) : FLOAT_ONLY.has(fn)) throw unavailable(fn, dtype);
  return { kind: "binary", dtype, fn, x, y };
}

/** What PyTorch advises to call for bools. */
const FOR_BOOL: Readonly<Record<string, string>> = { neg: "logical_not", sub: "logical_xor" };

function unavailable(fn: string, dtype: DType): Error {
  const other = dtype === "bool" && FOR_BOOL[fn];
  return mistyped(
    `\`${fn}\` is not supported on ${dtype} tensors`,
    `${other ? `Call \`${other}\`, or convert` : "Convert"} to another dtype first.`,
  );
}

function mistyped(what: string, advice?: string): Error {
  return registryError("registry.scalar-dtype", { what, advice });
}
