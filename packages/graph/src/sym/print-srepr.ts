import { toExpr } from "./make-expr.ts";
import type { SymBool, SymExpr, SymFloat, SymInt } from "./sym-expr.ts";

/** Prints the text of sympy's `srepr`, which files have: `Mul(Integer(2), Symbol('s77', positive=True, integer=True))`. */
export function printSrepr(value: SymInt | SymFloat | SymBool): string {
  return srepr(toExpr(value));
}

function srepr(expr: SymExpr): string {
  switch (expr.kind) {
    case "symbol":
      return `Symbol('${expr.name}', ${assumptions(expr.name)})`;
    case "bool":
      return expr.value ? "true" : "false";
    case "number":
      return number(expr.value);
    case "call":
      return `${expr.fn}(${expr.args.map(srepr).join(", ")})`;
  }
}

/** What PyTorch assumes of a symbol, by its prefix: sizes that inputs have (`s`), results (`u`), floats (`zf`, `zuf`). */
function assumptions(name: string): string {
  if (name.startsWith("z")) return "real=True";
  return name.startsWith("u") ? "integer=True" : "positive=True, integer=True";
}

function number(value: number | bigint): string {
  if (value === Number.POSITIVE_INFINITY) return "oo";
  if (value === Number.NEGATIVE_INFINITY) return "-oo";
  if (typeof value === "number" && Number.isNaN(value)) return "nan";
  const isInteger = typeof value === "bigint" || (Number.isInteger(value) && !Object.is(value, -0));
  return isInteger ? `Integer(${BigInt(value)})` : `Float('${String(value)}', precision=53)`;
}
