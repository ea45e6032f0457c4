import type { SymBool, SymExpr, SymFloat, SymInt } from "./sym-expr.ts";

/** Creates a symbol such as `s77`. */
export function symbol(name: string): SymExpr {
  return { kind: "symbol", name };
}

/** Creates a call of one of sympy's functions. */
export function call(fn: string, ...args: readonly SymExpr[]): SymExpr {
  return { kind: "call", fn, args };
}

/** Converts a literal or expression to an expression. */
export function toExpr(value: SymInt | SymFloat | SymBool): SymExpr {
  if (typeof value === "object") return value;
  return typeof value === "boolean" ? { kind: "bool", value } : { kind: "number", value };
}

/** Converts an expression to a size: literals become plain numbers, as {@link SymInt} requires. */
export function toSymInt(expr: SymExpr): SymInt {
  return expr.kind === "number" ? expr.value : expr;
}

/** Converts an expression to a float; `2.0` is the number 2. */
export function toSymFloat(expr: SymExpr): SymFloat {
  const [inner] = expr.kind === "call" && expr.fn === "ToFloat" ? expr.args : [expr];
  return inner?.kind === "number" ? Number(inner.value) : expr;
}

/** Converts an expression to a boolean. */
export function toSymBool(expr: SymExpr): SymBool {
  return expr.kind === "bool" ? expr.value : expr;
}

/** Returns whether two expressions are structurally equal. */
export function sameExpr(a: SymExpr, b: SymExpr): boolean {
  if (a.kind === "call") {
    return (
      b.kind === "call" &&
      a.fn === b.fn &&
      a.args.length === b.args.length &&
      a.args.every((arg, i) => sameExpr(arg, b.args[i]!))
    );
  }
  if (a.kind === "symbol") return b.kind === "symbol" && a.name === b.name;
  return a.kind === b.kind && Object.is(a.value, b.value);
}

/** Returns the names of the symbols in an expression, in order of appearance. */
export function symbolsOf(value: SymInt | SymFloat | SymBool): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (expr: SymExpr): void => {
    if (expr.kind === "symbol") names.add(expr.name);
    else if (expr.kind === "call") expr.args.forEach(visit);
  };
  visit(toExpr(value));
  return names;
}
