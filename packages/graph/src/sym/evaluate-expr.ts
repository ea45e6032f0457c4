import { graphError } from "../graph-errors.ts";
import { toExpr } from "./make-expr.ts";
import { printSym } from "./print-expr.ts";
import { fromLiteral, type PyValue, toLiteral } from "./python-number.ts";
import type { SymBool, SymExpr, SymFloat, SymInt } from "./sym-expr.ts";
import { SYM_FUNCTIONS } from "./sympy-functions.ts";

/** The values of the symbols in one call. */
export type Bindings = ReadonlyMap<string, number | bigint>;

/** Integers with more bits are rejected: no size needs them, and a malicious power could exhaust the memory. */
const MAX_BITS = 4096n;

/** Evaluates an expression with Python's integer semantics; the result is a bigint beyond 2^53. */
export function evaluate(value: SymInt | SymFloat | SymBool, bindings: Bindings): number | bigint | boolean {
  const result = evaluatePython(toExpr(value), bindings);
  return typeof result === "boolean" ? result : toLiteral(result);
}

/** Evaluates a size: an integer that is not negative and below 2^53. */
export function evaluateSize(value: SymInt, bindings: Bindings): number {
  if (typeof value === "number") return value;
  const size = Number(evaluate(value, bindings));
  if (Number.isSafeInteger(size) && size >= 0) return size;
  throw graphError("graph.sym-size", {
    what: `\`${printSym(value)}\` is ${size}, which is not a size`,
    where: describe(bindings),
    advice: "check the sizes of the inputs",
  });
}

/** Evaluates like {@link evaluate}, with Python's ints as bigint and floats as number. */
export function evaluatePython(expr: SymExpr, bindings: Bindings): PyValue {
  if (expr.kind === "bool") return expr.value;
  if (expr.kind === "number") return fromLiteral(expr.value);
  if (expr.kind === "symbol") {
    const value = bindings.get(expr.name);
    if (value !== undefined) return fromLiteral(value);
    throw graphError("graph.sym-unbound", {
      what: `The size \`${expr.name}\` is not known yet`,
      where: describe(bindings),
      advice: "sizes that depend on data are known only once the operation that produces them has run",
      details: { symbol: expr.name },
    });
  }
  return apply(
    expr,
    expr.args.map((arg) => evaluatePython(arg, bindings)),
  );
}

function apply(expr: SymExpr & { kind: "call" }, args: readonly PyValue[]): PyValue {
  const fn = SYM_FUNCTIONS.get(expr.fn);
  if (fn === undefined) {
    throw graphError("graph.sym-function", {
      what: `The size \`${printSym(expr)}\` uses \`${expr.fn}\`, which is not known here`,
      advice: "report the program, or export it without this size expression",
      details: { fn: expr.fn },
    });
  }
  try {
    checkMagnitude(expr.fn, args);
    return fn(...args);
  } catch (cause) {
    // BigInt division by zero and conversion of NaN or infinity throw a RangeError.
    if (!(cause instanceof RangeError || cause instanceof TypeError)) throw cause;
    throw graphError("graph.sym-arithmetic", {
      what: `\`${printSym(expr)}\` has no value: ${cause.message}`,
      where: `with arguments ${args.join(", ")}`,
      cause,
    });
  }
}

function checkMagnitude(fn: string, args: readonly PyValue[]): void {
  const [a, b] = args;
  if (typeof b !== "bigint") return;
  const shift = fn === "LShift" || fn === "RShift" ? b : 0n;
  const power =
    (fn === "Pow" || fn === "PowByNatural") && typeof a === "bigint" ? b * BigInt(a.toString(2).length) : 0n;
  if (shift > MAX_BITS || power > MAX_BITS) throw new RangeError("the number is too large");
}

function describe(bindings: Bindings): string | undefined {
  const known = [...bindings].map(([name, value]) => `${name} = ${value}`);
  return known.length === 0 ? undefined : `with ${known.join(", ")}`;
}
