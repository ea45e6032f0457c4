import type { SymBool, SymExpr, SymFloat, SymInt } from "./expr.ts";

/** A symbol such as `s77`. */
export function symbol(name: string): SymExpr {
  return { kind: "symbol", name };
}

/** A call of one of sympy's functions. */
export function call(fn: string, ...args: readonly SymExpr[]): SymExpr {
  return { kind: "call", fn, args };
}

/** The expression of a literal or of an expression. */
export function toExpr(value: SymInt | SymFloat | SymBool): SymExpr {
  if (typeof value === "object") return value;
  return typeof value === "boolean" ? { kind: "bool", value } : { kind: "number", value };
}

/** A size from an expression: literals become plain numbers, as {@link SymInt} wants them. */
export function toSymInt(expr: SymExpr): SymInt {
  return expr.kind === "number" ? expr.value : expr;
}

/** A float from an expression; `2.0` is the number 2. */
export function toSymFloat(expr: SymExpr): SymFloat {
  const [inner] = expr.kind === "call" && expr.fn === "ToFloat" ? expr.args : [expr];
  return inner?.kind === "number" ? Number(inner.value) : expr;
}

/** A boolean from an expression. */
export function toSymBool(expr: SymExpr): SymBool {
  return expr.kind === "bool" ? expr.value : expr;
}

/** Whether two expressions are written the same. */
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

/** Names of the symbols in an expression, in order of appearance. */
export function symbolsOf(value: SymInt | SymFloat | SymBool): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (expr: SymExpr): void => {
    if (expr.kind === "symbol") names.add(expr.name);
    else if (expr.kind === "call") expr.args.forEach(visit);
  };
  visit(toExpr(value));
  return names;
}
