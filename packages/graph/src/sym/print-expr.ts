import { toExpr } from "./make-expr.ts";
import type { SymBool, SymExpr, SymFloat, SymInt } from "./sym-expr.ts";

/** Binary functions that have an operator in Python; the others are printed as calls. */
const OPERATORS: Readonly<Record<string, string>> = {
  Pow: "**",
  FloorDiv: "//",
  IntTrueDiv: "/",
  Mod: " % ",
  GreaterThan: " >= ",
  LessThan: " <= ",
  StrictGreaterThan: " > ",
  StrictLessThan: " < ",
  Equality: " == ",
  Unequality: " != ",
};

/** Prints Python-like text of a size or condition, such as `2*s0 + 1`; `parseSym` parses it to the same expression. */
export function printSym(value: SymInt | SymFloat | SymBool): string {
  const expr = toExpr(value);
  if (expr.kind !== "call") return literal(expr);
  if (expr.fn === "Add" && expr.args.length > 1) return printSum(expr.args);
  if (expr.fn === "Mul" && expr.args.length > 1) return printProduct(expr.args);
  const operator = OPERATORS[expr.fn];
  if (operator !== undefined && expr.args.length === 2) return expr.args.map(printOperand).join(operator);
  if (isFloatLiteral(expr)) return `${String((expr.args[0] as SymExpr & { kind: "number" }).value)}.0`;
  return `${expr.fn}(${expr.args.map((arg) => printSym(arg)).join(", ")})`;
}

function literal(expr: Exclude<SymExpr, { kind: "call" }>): string {
  if (expr.kind === "symbol") return expr.name;
  if (expr.kind === "bool") return expr.value ? "True" : "False";
  if (expr.value === Number.POSITIVE_INFINITY) return "oo";
  if (expr.value === Number.NEGATIVE_INFINITY) return "-oo";
  if (Number.isNaN(expr.value)) return "nan";
  if (Object.is(expr.value, -0)) return "-0.0";
  return Number.isInteger(expr.value) ? BigInt(expr.value).toString() : String(expr.value);
}

function printSum([first, ...rest]: readonly SymExpr[]): string {
  return rest.reduce((text, term) => {
    const negated = negatedText(term);
    return negated === null ? `${text} + ${printTerm(term)}` : `${text} - ${negated}`;
  }, printTerm(first!));
}

function printTerm(expr: SymExpr): string {
  const chained = expr.kind === "call" ? expr.fn === "Mul" && expr.args.length > 1 : expr.kind === "number";
  return chained ? printSym(expr) : printOperand(expr);
}

function printProduct(args: readonly SymExpr[]): string {
  const negated = negatedText({ kind: "call", fn: "Mul", args });
  return negated === null ? args.map(printOperand).join("*") : `-${negated}`;
}

/** Returns the text of `-expr` if the parser reads `-text` back as exactly `expr`. */
function negatedText(expr: SymExpr): string | null {
  if (isNegative(expr)) return literal({ kind: "number", value: -expr.value });
  if (expr.kind !== "call" || expr.fn !== "Mul") return null;
  const [head, ...rest] = expr.args;
  if (head === undefined || rest.length === 0 || !isNegative(head)) return null;
  const others = rest.map((arg) => printOperand(arg));
  if (head.value !== -1) return [literal({ kind: "number", value: -head.value }), ...others].join("*");
  return isLiteral(rest[0]!) ? null : others.join("*");
}

function isNegative(expr: SymExpr): expr is SymExpr & { kind: "number" } {
  return expr.kind === "number" && expr.value < 0;
}

function isLiteral(expr: SymExpr): boolean {
  return expr.kind === "number" || isFloatLiteral(expr);
}

/** Integral floats such as `2.0` are stored as `ToFloat(2)`. */
function isFloatLiteral(expr: SymExpr): boolean {
  if (expr.kind !== "call" || expr.fn !== "ToFloat") return false;
  const [arg] = expr.args;
  return arg?.kind === "number" && Number.isSafeInteger(arg.value) && arg.value >= 0 && !Object.is(arg.value, -0);
}

/** Adds parentheses where the text would otherwise join a longer chain. */
function printOperand(expr: SymExpr): string {
  const text = printSym(expr);
  return isBareOperation(expr) || text.startsWith("-") ? `(${text})` : text;
}

function isBareOperation(expr: SymExpr): boolean {
  if (expr.kind !== "call") return false;
  if (OPERATORS[expr.fn] !== undefined) return expr.args.length === 2;
  return (expr.fn === "Add" || expr.fn === "Mul") && expr.args.length > 1;
}
