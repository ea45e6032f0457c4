import { evaluatePython } from "./evaluate-expr.ts";
import { call } from "./make-expr.ts";
import { printSym } from "./print-expr.ts";
import { fromLiteral, type PyValue, toLiteral } from "./python-number.ts";
import type { SymExpr } from "./sym-expr.ts";
import { SYM_FUNCTIONS } from "./sympy-functions.ts";

const NOTHING: ReadonlyMap<string, number> = new Map();

/**
 * Folds constants, flattens sums and products, and collects like terms: `2*(s0 + 1) - s0` becomes `s0 + 2`. Integers
 * only are moved around; float arithmetic keeps its order.
 */
export function simplify(expr: SymExpr): SymExpr {
  if (expr.kind !== "call") return expr;
  const args = expr.args.map(simplify);
  const [a, b] = args;
  if (args.length > 0 && args.every(isLiteral) && SYM_FUNCTIONS.has(expr.fn)) return fold(call(expr.fn, ...args));
  if (expr.fn === "Add") return sum(args);
  if (expr.fn === "Mul") return product(args);
  if (expr.fn === "Identity" && a !== undefined) return a;
  if ((expr.fn === "Max" || expr.fn === "Min") && args.length === 1) return a!;
  if ((expr.fn === "FloorDiv" || expr.fn === "CleanDiv" || expr.fn === "CeilDiv") && isOne(b)) return a!;
  if ((expr.fn === "Pow" || expr.fn === "PowByNatural") && isOne(b)) return a!;
  return call(expr.fn, ...args);
}

/** Converts a Python value to a literal; an integral float stays a float. */
function literalExpr(value: PyValue): SymExpr {
  if (typeof value === "boolean") return { kind: "bool", value };
  if (typeof value === "bigint") return { kind: "number", value: toLiteral(value) };
  const literal: SymExpr = { kind: "number", value };
  return typeof fromLiteral(value) === "bigint" ? call("ToFloat", literal) : literal;
}

/** Returns whether an expression is a number, a boolean, or `ToFloat` of a number. */
export function isLiteral(expr: SymExpr): boolean {
  if (expr.kind === "call") return expr.fn === "ToFloat" && expr.args.length === 1 && expr.args[0]!.kind === "number";
  return expr.kind !== "symbol";
}

function fold(expr: SymExpr): SymExpr {
  try {
    return literalExpr(evaluatePython(expr, NOTHING));
  } catch {
    // Division by zero, for example, is reported where the value is used, with the location.
    return expr;
  }
}

function isOne(expr: SymExpr | undefined): boolean {
  return expr?.kind === "number" && fromLiteral(expr.value) === 1n;
}

function intOf(expr: SymExpr): bigint | null {
  const value = expr.kind === "number" ? fromLiteral(expr.value) : null;
  return typeof value === "bigint" ? value : null;
}

/** Splits `3*s0*s1` into 3 and `s0*s1`. */
function coefficient(expr: SymExpr): readonly [bigint, SymExpr | null] {
  const int = intOf(expr);
  if (int !== null) return [int, null];
  if (expr.kind !== "call" || expr.fn !== "Mul") return [1n, expr];
  const [head, ...rest] = expr.args;
  const scale = head === undefined ? null : intOf(head);
  if (scale === null || rest.length === 0) return [1n, expr];
  return [scale, rest.length === 1 ? rest[0]! : call("Mul", ...rest)];
}

function flatten(fn: string, args: readonly SymExpr[]): readonly SymExpr[] {
  return args.flatMap((arg) => (arg.kind === "call" && arg.fn === fn ? arg.args : [arg]));
}

function sum(args: readonly SymExpr[]): SymExpr {
  const terms = new Map<string, { scale: bigint; expr: SymExpr | null }>();
  for (const arg of flatten("Add", args)) {
    const [scale, expr] = coefficient(arg);
    const key = expr === null ? "" : printSym(expr);
    const known = terms.get(key);
    terms.set(key, { scale: scale + (known?.scale ?? 0n), expr });
  }
  const constant = terms.get("");
  terms.delete("");
  const parts = [...terms.values()].filter(({ scale }) => scale !== 0n).map(({ scale, expr }) => scaled(scale, expr!));
  if (constant !== undefined && constant.scale !== 0n) parts.push(literalExpr(constant.scale));
  if (parts.length === 0) return { kind: "number", value: 0 };
  return parts.length === 1 ? parts[0]! : call("Add", ...parts);
}

function scaled(scale: bigint, expr: SymExpr): SymExpr {
  if (scale === 1n) return expr;
  return call("Mul", literalExpr(scale), ...flatten("Mul", [expr]));
}

function product(args: readonly SymExpr[]): SymExpr {
  let scale = 1n;
  const factors: SymExpr[] = [];
  for (const arg of flatten("Mul", args)) {
    const int = intOf(arg);
    if (int === null) factors.push(arg);
    else scale *= int;
  }
  const [only] = factors;
  if (only === undefined) return literalExpr(scale);
  if (scale === 0n) return { kind: "number", value: 0 };
  if (factors.length === 1 && only.kind === "call" && only.fn === "Add" && scale !== 1n) {
    return sum(only.args.map((term) => product([literalExpr(scale), term])));
  }
  return factors.length === 1 ? scaled(scale, only) : scaled(scale, call("Mul", ...factors));
}
