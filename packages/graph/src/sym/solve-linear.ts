import type { Bindings } from "./evaluate-expr.ts";
import { call } from "./make-expr.ts";
import { fromLiteral, toLiteral } from "./python-number.ts";
import { simplify } from "./simplify-expr.ts";
import type { SymExpr } from "./sym-expr.ts";

/** Replaces known symbols by their values. */
function substitute(expr: SymExpr, bindings: Bindings): SymExpr {
  if (expr.kind === "symbol") {
    const value = bindings.get(expr.name);
    return value === undefined ? expr : { kind: "number", value };
  }
  return expr.kind === "call" ? call(expr.fn, ...expr.args.map((arg) => substitute(arg, bindings))) : expr;
}

/**
 * Solves `expr = value` for its only unknown symbol where the expression is linear in it (`2*s0 + 1`). `null`: not
 * linear, several unknowns, or none. `value: null`: no integer solves it.
 */
export function solveLinear(
  expr: SymExpr,
  value: number | bigint,
  known: Bindings,
): { readonly symbol: string; readonly value: number | bigint | null } | null {
  const simple = simplify(substitute(expr, known));
  let rest = BigInt(value);
  let unknown: { symbol: string; scale: bigint } | null = null;
  for (const term of simple.kind === "call" && simple.fn === "Add" ? simple.args : [simple]) {
    const parts = linearTerm(term);
    if (parts === null) return null;
    if (parts.symbol === null) rest -= parts.scale;
    else if (unknown === null) unknown = { symbol: parts.symbol, scale: parts.scale };
    else return null;
  }
  if (unknown === null) return null;
  const exact = rest % unknown.scale === 0n;
  return { symbol: unknown.symbol, value: exact ? toLiteral(rest / unknown.scale) : null };
}

function linearTerm(term: SymExpr): { readonly symbol: string | null; readonly scale: bigint } | null {
  if (term.kind === "symbol") return { symbol: term.name, scale: 1n };
  if (term.kind === "number") {
    const scale = fromLiteral(term.value);
    return typeof scale === "bigint" ? { symbol: null, scale } : null;
  }
  if (term.kind !== "call" || term.fn !== "Mul" || term.args.length !== 2) return null;
  const [head, symbol] = term.args;
  const scale = head?.kind === "number" ? fromLiteral(head.value) : null;
  return typeof scale === "bigint" && scale !== 0n && symbol?.kind === "symbol" ? { symbol: symbol.name, scale } : null;
}
