import { Scanner } from "../scanner.ts";
import { call, symbol } from "./make-expr.ts";
import { toLiteral } from "./python-number.ts";
import type { SymExpr } from "./sym-expr.ts";

/** PyTorch's own expressions nest a dozen levels; this bounds the stack that a malicious file can use. */
const MAX_DEPTH = 200;

const RELATIONS: readonly (readonly [string, string])[] = [
  [">=", "GreaterThan"],
  ["<=", "LessThan"],
  ["==", "Equality"],
  ["!=", "Unequality"],
  [">", "StrictGreaterThan"],
  ["<", "StrictLessThan"],
];

/** sympy's short spellings of functions and of constants. */
const FUNCTIONS: Readonly<Record<string, string>> = { Eq: "Equality", Ne: "Unequality" };
const CONSTANTS: ReadonlyMap<string, SymExpr> = new Map<string, SymExpr>([
  ["oo", { kind: "number", value: Number.POSITIVE_INFINITY }],
  ["int_oo", { kind: "number", value: Number.POSITIVE_INFINITY }],
  ["nan", { kind: "number", value: Number.NaN }],
  ["pi", { kind: "number", value: Math.PI }],
  ["true", { kind: "bool", value: true }],
  ["True", { kind: "bool", value: true }],
  ["false", { kind: "bool", value: false }],
  ["False", { kind: "bool", value: false }],
]);

/**
 * Parses an expression in either of sympy's forms, `Add(Symbol('s77', integer=True), Integer(2))` or `s77 + 2`, without
 * evaluating it.
 */
export function parseSym(text: string): SymExpr {
  const scanner = new Scanner(String(text));
  const expr = parseSymFrom(scanner);
  return scanner.done ? expr : scanner.fail("expected the end of the expression");
}

/** Reads an expression that is part of a longer text. */
export function parseSymFrom(scanner: Scanner): SymExpr {
  return new ExprParser(scanner).relation();
}

/** An operand, with whether it was in parentheses: only chains without parentheses are flattened. */
interface Operand {
  readonly expr: SymExpr;
  readonly closed: boolean;
}

class ExprParser {
  readonly #in: Scanner;
  #depth = 0;

  constructor(scanner: Scanner) {
    this.#in = scanner;
  }

  relation(): SymExpr {
    this.#enter();
    const left = this.#sum();
    const found = RELATIONS.find(([token]) => this.#in.accept(token));
    const expr = found === undefined ? left : call(found[1], left, this.#sum());
    this.#depth--;
    return expr;
  }

  #enter(): void {
    if (++this.#depth > MAX_DEPTH) this.#in.fail(`an expression nested deeper than ${MAX_DEPTH}`);
  }

  #sum(): SymExpr {
    const first = this.#product();
    const terms = [first.expr];
    for (;;) {
      if (this.#in.accept("+")) terms.push(this.#product().expr);
      else if (this.#in.accept("-")) terms.push(negate(this.#product()));
      else return terms.length === 1 ? first.expr : call("Add", ...terms);
    }
  }

  #product(): Operand {
    const sign = this.#in.accept("-");
    let left: Operand = this.#power();
    for (;;) {
      const token = ["*", "//", "/", "%"].find((t) => this.#in.accept(t));
      if (token === undefined) break;
      const minus = this.#in.accept("-");
      const factor = this.#power();
      const right = minus ? negate(factor) : factor.expr;
      left = { expr: token === "*" ? times(left, right) : call(DIVISIONS[token]!, left.expr, right), closed: false };
    }
    return sign ? { expr: negate(left), closed: false } : left;
  }

  #power(): Operand {
    const base = this.#atom();
    if (!this.#in.accept("**")) return base;
    const sign = this.#in.accept("-");
    this.#enter();
    const exponent = this.#power();
    this.#depth--;
    return { expr: call("Pow", base.expr, sign ? negate(exponent) : exponent.expr), closed: true };
  }

  #atom(): Operand {
    if (this.#in.accept("(")) {
      const expr = this.relation();
      this.#in.expect(")");
      return { expr, closed: true };
    }
    const number = this.#in.tryNumber();
    if (number !== null) return { expr: numberOf(number), closed: false };
    const word = this.#in.word();
    const expr = this.#in.peek("(") ? this.#call(word) : (CONSTANTS.get(word) ?? symbol(word));
    return { expr, closed: expr.kind !== "number" };
  }

  #call(fn: string): SymExpr {
    const literals: string[] = [];
    const args: SymExpr[] = [];
    this.#in.list("(", ")", () => {
      const text = this.#in.tryString();
      if (text !== null) literals.push(text);
      else if (!this.#assumption()) args.push(this.relation());
    });
    const [first] = args;
    if (fn === "Symbol" && literals.length === 1) return symbol(literals[0]!);
    if (fn === "Float" && literals.length === 1) return floatOf(Number(literals[0]));
    if (fn === "Integer" && first?.kind === "number") return first;
    if (literals.length > 0) return this.#in.fail(`\`${fn}\` does not take a string`);
    return call(FUNCTIONS[fn] ?? fn, ...args);
  }

  /** Skips sympy's assumptions, `positive=True`, `precision=53`, which PyTorch repeats in the ranges. */
  #assumption(): boolean {
    const start = this.#in.at;
    if (this.#in.tryWord() !== null && !this.#in.peek("==") && this.#in.accept("=")) {
      this.#in.tryNumber() ?? this.#in.word();
      return true;
    }
    this.#in.at = start;
    return false;
  }
}

const DIVISIONS: Readonly<Record<string, string>> = { "//": "FloorDiv", "/": "IntTrueDiv", "%": "Mod" };

function numberOf(text: string): SymExpr {
  return /^\d+$/.test(text) ? { kind: "number", value: toLiteral(BigInt(text)) } : floatOf(Number(text));
}

/** Creates a float literal; integral ones keep their type as `ToFloat(2)`. */
function floatOf(value: number): SymExpr {
  const literal: SymExpr = { kind: "number", value };
  return Number.isInteger(value) && !Object.is(value, -0) ? call("ToFloat", literal) : literal;
}

function toFloat(expr: SymExpr & { kind: "call" }): number {
  const [literal] = expr.args;
  return literal?.kind === "number" ? Number(literal.value) : Number.NaN;
}

function times(left: Operand, right: SymExpr): SymExpr {
  const chain = !left.closed && left.expr.kind === "call" && left.expr.fn === "Mul";
  return chain && left.expr.kind === "call" ? call("Mul", ...left.expr.args, right) : call("Mul", left.expr, right);
}

/** Negates: a literal, the leading factor of an open product, or by a factor -1. */
function negate({ expr, closed }: Operand): SymExpr {
  if (closed) return call("Mul", { kind: "number", value: -1 }, expr);
  if (expr.kind === "number") return { kind: "number", value: expr.value === 0 ? 0 : -expr.value };
  if (expr.kind === "call" && expr.fn === "Mul") {
    const [head, ...rest] = expr.args;
    if (head?.kind === "number") return call("Mul", { kind: "number", value: -head.value }, ...rest);
    return call("Mul", { kind: "number", value: -1 }, ...expr.args);
  }
  if (expr.kind === "call" && expr.fn === "ToFloat") return floatOf(-toFloat(expr));
  return call("Mul", { kind: "number", value: -1 }, expr);
}
