import { graphError } from "../graph-errors.ts";
import type { OpName } from "../ir.ts";

/** What a guard reads of the values of a call: a key or an attribute is a string, an index a number. */
export interface GuardInput {
  readonly kind: "input";
  readonly path: readonly (string | number)[];
  /** What it reads: a size of a tensor, where a tensor lies in memory, or a number that is given. */
  readonly of: "size" | "layout" | "number";
  readonly dim: number;
}

/** An operator or a function of Python, by its name in programs. */
export interface GuardCall {
  readonly kind: "call";
  readonly op: OpName;
  readonly operands: readonly GuardExpr[];
}

/** A guard, or a part of one. */
export type GuardExpr =
  | GuardInput
  | GuardCall
  | { readonly kind: "number"; readonly value: number; readonly isFloat: boolean }
  | { readonly kind: "bool"; readonly value: boolean };

/** Python's comparisons, by their names in programs. */
export const COMPARISONS: ReadonlyMap<string, OpName> = new Map([
  ["==", "_operator::eq"],
  ["!=", "_operator::ne"],
  ["<=", "_operator::le"],
  [">=", "_operator::ge"],
  ["<", "_operator::lt"],
  [">", "_operator::gt"],
]);

type Operator = (a: GuardExpr, b: GuardExpr) => GuardExpr;

/** Operators that are joined from the left, the weakest first. */
const LEVELS: readonly ReadonlyMap<string, Operator>[] = [
  new Map([["|", operator("_operator::or_")]]),
  // Bits of which one is set are those of which any is, without those that both are.
  new Map([["^", (a, b) => call("_operator::sub", call("_operator::or_", a, b), call("_operator::and_", a, b))]]),
  new Map([["&", operator("_operator::and_")]]),
  new Map([
    ["<<", operator("_operator::lshift")],
    [">>", operator("_operator::rshift")],
  ]),
  new Map([
    ["+", operator("_operator::add")],
    ["-", operator("_operator::sub")],
  ]),
  new Map([
    ["*", operator("_operator::mul")],
    ["//", operator("_operator::floordiv")],
    ["/", operator("_operator::truediv")],
    ["%", operator("_operator::mod")],
  ]),
];

/** Functions of one operand, but for `round`, which also takes a number of digits. */
const FUNCTIONS: ReadonlyMap<string, OpName> = new Map([
  ["abs", "_operator::abs"],
  ["round", "builtins::round"],
  ["torch.sym_float", "torch::sym_float"],
  ["torch._sym_sqrt", "torch::_sym_sqrt"],
  ...["ceil", "floor", "trunc", "sqrt", "exp", "log", "log2"].map(ofMath),
  ...["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh"].map(ofMath),
]);

const EXTREMES: ReadonlyMap<string, OpName> = new Map([
  ["max", "torch::sym_max"],
  ["min", "torch::sym_min"],
]);

const CONSTANTS: ReadonlyMap<string, GuardExpr> = new Map([
  ["True", { kind: "bool", value: true }],
  ["False", { kind: "bool", value: false }],
  ["math.inf", float(Number.POSITIVE_INFINITY)],
  ["math.nan", float(Number.NaN)],
]);

/** PyTorch's guards nest a few dozen levels; this bounds the stack that a malicious file can use. */
const MAX_DEPTH = 200;

/** A number, a name, a string or a sign. */
const TOKEN =
  /\s*(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|'[^'\\\n]*'|"[^"\\\n]*"|\*\*|\/\/|<<|>>|[=!<>]=|[-+*/%<>()[\],.&|^])/y;

/** Parses the Python of a guard: what PyTorch's printer makes of conditions on sizes. Anything else is a `graph.guard`. */
export function parseGuard(text: string): GuardExpr {
  const parser = new GuardParser(tokensOf(text));
  const found = parser.choice();
  parser.expect(null);
  return found;
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.trimEnd().length; at = TOKEN.lastIndex) {
    tokens.push(TOKEN.exec(text)?.[1] ?? fail(`\`${text.slice(at, at + 20)}\` is not known`));
  }
  return tokens;
}

function fail(what: string): never {
  throw graphError("graph.guard", { what });
}

class GuardParser {
  readonly #tokens: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  /** Takes a token that has to come next; null stands for the end. */
  expect(token: string | null): void {
    if (!this.#accept(token)) fail(`expected ${token === null ? "the end" : `\`${token}\``} before ${this.#rest()}`);
  }

  #accept(token: string | null): boolean {
    const found = (this.#tokens[this.#at] ?? null) === token;
    if (found) this.#at++;
    return found;
  }

  /** Takes the next token if it is of a kind. */
  #match(kind: RegExp): string | null {
    const token = this.#tokens[this.#at] ?? "";
    if (!kind.test(token)) return null;
    this.#at++;
    return token;
  }

  #rest(): string {
    const rest = this.#tokens.slice(this.#at, this.#at + 5).join(" ");
    return rest === "" ? "the end" : `\`${rest}\``;
  }

  #nested<T>(parse: () => T): T {
    if (++this.#depth > MAX_DEPTH) fail(`it is nested deeper than ${MAX_DEPTH}`);
    const found = parse();
    this.#depth--;
    return found;
  }

  /** `a if condition else b`, or what binds closer. */
  choice(): GuardExpr {
    return this.#nested(() => {
      const found = this.#disjunction();
      if (!this.#accept("if")) return found;
      const condition = this.#disjunction();
      this.expect("else");
      return call("torch::sym_ite", condition, found, this.choice());
    });
  }

  #disjunction(): GuardExpr {
    let found = this.#conjunction();
    while (this.#accept("or")) found = call("_operator::or_", found, this.#conjunction());
    return found;
  }

  #conjunction(): GuardExpr {
    let found = this.#negation();
    while (this.#accept("and")) found = call("_operator::and_", found, this.#negation());
    return found;
  }

  #negation(): GuardExpr {
    if (!this.#accept("not")) return this.#comparison();
    return call(
      "torch::sym_not",
      this.#nested(() => this.#negation()),
    );
  }

  /** A chain `a <= b <= c` says what its comparisons say. */
  #comparison(): GuardExpr {
    let left = this.#level(0);
    let found: GuardExpr | null = null;
    for (;;) {
      const token = [...COMPARISONS.keys()].find((name) => this.#accept(name));
      if (token === undefined) return found ?? left;
      const right = this.#level(0);
      const next = call(COMPARISONS.get(token)!, left, right);
      found = found === null ? next : call("_operator::and_", found, next);
      left = right;
    }
  }

  #level(i: number): GuardExpr {
    const operators = LEVELS[i];
    if (operators === undefined) return this.#signed();
    let left = this.#level(i + 1);
    for (;;) {
      const join = operators.get(this.#tokens[this.#at] ?? "");
      if (join === undefined) return left;
      this.#at++;
      left = join(left, this.#level(i + 1));
    }
  }

  /** Powers are joined from the right, before a sign: `-a ** b ** c` is `-(a ** (b ** c))`. */
  #signed(): GuardExpr {
    return this.#nested(() => (this.#accept("-") ? negated(this.#signed()) : this.#power()));
  }

  #power(): GuardExpr {
    const base = this.#atom();
    return this.#accept("**") ? call("_operator::pow", base, this.#signed()) : base;
  }

  #atom(): GuardExpr {
    if (this.#accept("(")) {
      const inner = this.choice();
      this.expect(")");
      return inner;
    }
    const number = this.#match(/^\d/);
    if (number !== null) return { kind: "number", value: Number(number), isFloat: !/^\d+$/.test(number) };
    let name = this.#word();
    if (name === "L") return this.#input();
    while (this.#accept(".")) name += `.${this.#word()}`;
    return CONSTANTS.get(name) ?? this.#applied(name);
  }

  #word(): string {
    return this.#match(/^[A-Za-z_]/) ?? fail(`expected a name before ${this.#rest()}`);
  }

  #applied(name: string): GuardExpr {
    const [extreme, fn] = [EXTREMES.get(name), FUNCTIONS.get(name)];
    this.expect("(");
    const operands = [this.choice()];
    while (this.#accept(",")) operands.push(this.choice());
    this.expect(")");
    const [first, ...others] = operands;
    if (extreme !== undefined && others.length > 0) return others.reduce((a, b) => call(extreme, a, b), first!);
    const fits = operands.length === 1 || (name === "round" && operands.length === 2);
    return fn !== undefined && fits ? call(fn, ...operands) : fail(`\`${name}\` is not known`);
  }

  /** `L['x'][0].left.size()[1]` */
  #input(): GuardInput {
    const path: (string | number)[] = [];
    for (;;) {
      if (this.#accept("[")) {
        path.push(this.#match(/^['"]/)?.slice(1, -1) ?? this.#integer());
        this.expect("]");
      } else if (!this.#accept(".")) {
        return { kind: "input", path, of: "number", dim: 0 };
      } else {
        const name = this.#word();
        if (this.#accept("(")) return this.#query(name, path);
        path.push(name);
      }
    }
  }

  /** What `size()[1]`, `stride()[0]` or `storage_offset()` reads; a view's `_base` has the layout of its memory. */
  #query(name: string, path: readonly (string | number)[]): GuardInput {
    this.expect(")");
    const isLayout = name === "stride" || name === "storage_offset" || path.at(-1) === "_base";
    if (name !== "size" && !isLayout) fail(`\`${name}\` is not known`);
    if (name === "storage_offset") return { kind: "input", path, of: "layout", dim: 0 };
    this.expect("[");
    const dim = this.#integer();
    this.expect("]");
    return { kind: "input", path, of: isLayout ? "layout" : "size", dim };
  }

  #integer(): number {
    return Number(this.#match(/^\d+$/) ?? fail(`expected an index before ${this.#rest()}`));
  }
}

function operator(op: OpName): Operator {
  return (a, b) => call(op, a, b);
}

function call(op: OpName, ...operands: readonly GuardExpr[]): GuardCall {
  return { kind: "call", op, operands };
}

function negated(expr: GuardExpr): GuardExpr {
  return expr.kind === "number" ? { ...expr, value: -expr.value } : call("_operator::neg", expr);
}

function float(value: number): GuardExpr {
  return { kind: "number", value, isFloat: true };
}

function ofMath(name: string): readonly [string, OpName] {
  return [`math.${name}`, `math::${name}`];
}
