import { requireArgument } from "@pt2/format/options";
import type { Arg, Node, OpName, Program } from "../ir.ts";
import { GraphBuilder } from "../passes/graph-builder.ts";
import { inputNames } from "../pytree/leaf-names.ts";
import { requireProgram } from "../validate/require-program.ts";

/** A size or a number that a call gives, a literal, or what an operator or a function makes of its operands. */
type Expr =
  | { readonly kind: "size"; readonly value: string; readonly dim: number }
  | { readonly kind: "input"; readonly value: string }
  | { readonly kind: "number"; readonly value: number }
  | CallExpr;

interface CallExpr {
  readonly kind: "call";
  readonly op: string;
  readonly operands: readonly Expr[];
}

const OPERATORS: Readonly<Record<string, OpName>> = {
  "==": "_operator::eq",
  "!=": "_operator::ne",
  "<=": "_operator::le",
  "<": "_operator::lt",
  ">=": "_operator::ge",
  ">": "_operator::gt",
  "+": "_operator::add",
  "-": "_operator::sub",
  "*": "_operator::mul",
  "/": "_operator::truediv",
  "//": "_operator::floordiv",
  "%": "_operator::mod",
  "**": "_operator::pow",
  max: "torch::sym_max",
  min: "torch::sym_min",
  "math.ceil": "math::ceil",
  "math.floor": "math::floor",
  "math.trunc": "math::trunc",
  round: "builtins::round",
  "torch.sym_float": "torch::sym_float",
};

/** By precedence, the weakest first. */
const LEVELS: readonly (readonly string[])[] = [
  ["==", "!=", "<=", "<", ">=", ">"],
  ["+", "-"],
  ["*", "//", "/", "%"],
  ["**"],
];
/** The level of what is joined from the right, and before a sign: `-a ** b ** c` is `-(a ** (b ** c))`. */
const POWER = LEVELS.length - 1;

const TOKEN =
  /\s*(L\[[^\]]*\](?:\[[^\]]*\]|\.(?!size\b)\w+)*(?:\.size\(\)\[\d+\])?|\d+(?:\.\d+)?|[a-z][\w.]*|,|\*\*|\/\/|[=<>!]=|[-+*/%<>()])/y;

/**
 * Appends to a program the guards of its file as assertions: what PyTorch found out about sizes when it made the program, which
 * computes something else where they do not hold. Types and ranges say what holds for single sizes; what is not a comparison
 * of arithmetic with the sizes and numbers of a call is left out.
 */
export function assertGuards(program: Program, guards: readonly string[]): Program {
  requireProgram("assertGuards()", program);
  requireArgument("assertGuards()", "guards", guards, "array", "graph.options");
  const { graph } = program;
  const values = valuesByPath(program);
  const builder = new GraphBuilder(graph);
  // What has an `or` is left out: of that, no part has to hold.
  const conjuncts = guards.flatMap((guard) => (/\bor\b/.test(guard) ? [] : guard.split(" and ")));
  for (const guard of conjuncts) {
    const found = parsed(guard, values);
    if (found === null || isKnown(found)) continue;
    const self = emitted(found, builder);
    const text = guard.replaceAll(/L\['(\w+)'\]/g, "$1");
    const message = { name: "assert_msg", arg: { kind: "string", value: `Guard failed: ${text}` } } as const;
    const args = [{ name: "self", arg: self }, message];
    builder.push({ name: builder.fresh("guard"), op: "aten::_assert_scalar", args, outputs: [], origin: {} });
  }
  for (const node of graph.nodes) builder.push(node);
  return { ...program, graph: builder.build(graph.outputs) };
}

/**
 * Whether types and ranges say as much as a guard does: that of a single size or number, that two are equal, and that a size is not
 * 0 or 1, which the export assumes of all that are not numbers. Nothing is assumed of remainders and of numbers.
 */
function isKnown({ op, operands }: CallExpr): boolean {
  const [a, b] = operands as readonly [Expr, Expr];
  const limit = b.kind === "number" ? b.value : Number.NaN;
  const isNotOne = op === "!=" ? limit === 0 || limit === 1 : op === ">=" ? limit === 2 : op === ">" && limit === 1;
  if (isNotOne && isSize(a)) return true;
  if (op === "!=" || a.kind === "call" || b.kind === "call") return false;
  return op === "==" || a.kind === "number" || b.kind === "number";
}

/** Whether an expression may be the size of a tensor that is made of inputs with other sizes. */
function isSize(expr: Expr): boolean {
  const isOfNumbers = (inner: Expr): boolean =>
    inner.kind === "input" || (inner.kind === "call" && inner.operands.some(isOfNumbers));
  return !isOfNumbers(expr) && !(expr.kind === "call" && expr.op === "%");
}

/** The values that a program is called with, by the way to them in Python: `L['x'][0]` is `x[0]`. */
function valuesByPath({ inputs, inSpec, forwardArgs, namedTuples }: Program): ReadonlyMap<string, string> {
  const names = inSpec === null ? [] : inputNames(inSpec, forwardArgs, namedTuples);
  const leaves = inputs.filter(({ kind }) => kind === "user_input" || kind === "constant_input");
  return new Map(
    leaves.flatMap((spec, i) => {
      if (spec.kind !== "user_input" || spec.value === null || names[i] === undefined) return [];
      return [[names[i], spec.value] as const];
    }),
  );
}

/** Returns the comparison that a guard is; null for what is none of sizes. */
function parsed(text: string, values: ReadonlyMap<string, string>): CallExpr | null {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text);
    if (found === null) return null;
    tokens.push(found[1]!);
  }
  const atom = (): Expr | null => {
    const token = tokens.shift();
    if (token === "(") {
      const inner = level(0);
      return tokens.shift() === ")" ? inner : null;
    }
    if (token === "-") {
      const b = level(POWER);
      return b && call("-", { kind: "number", value: 0 }, b);
    }
    if (token === undefined || !/^\w/.test(token)) return null;
    if (/^[a-z]/.test(token)) return applied(token);
    return token.startsWith("L") ? inputOf(token, values) : { kind: "number", value: Number(token) };
  };
  const applied = (name: string): Expr | null => {
    const takesMany = name === "max" || name === "min";
    let found = tokens.shift() === "(" && name in OPERATORS ? level(0) : null;
    if (found !== null && !takesMany) found = call(name, found);
    while (found !== null && takesMany && tokens[0] === ",") {
      tokens.shift();
      const next = level(0);
      found = next && call(name, found, next);
    }
    return tokens.shift() === ")" ? found : null;
  };
  const level = (i: number): Expr | null => {
    const operators = LEVELS[i];
    if (operators === undefined) return atom();
    let a = level(i + 1);
    while (a !== null && operators.includes(tokens[0] ?? "")) {
      const op = tokens.shift()!;
      // A chain `a <= b <= c` is two comparisons; ranges say what those of single sizes do.
      if (i === 0 && isComparison(a)) return null;
      const b = level(i === POWER ? i : i + 1);
      a = b && call(op, a, b);
    }
    return a;
  };
  const found = level(0);
  return tokens.length === 0 && found !== null && isComparison(found) ? found : null;
}

function isComparison(expr: Expr): expr is CallExpr {
  return expr.kind === "call" && LEVELS[0]!.includes(expr.op);
}

function call(op: string, ...operands: readonly Expr[]): CallExpr {
  return { kind: "call", op, operands };
}

function inputOf(token: string, values: ReadonlyMap<string, string>): Expr | null {
  const [, path, dim] = /^(.*?)(?:\.size\(\)\[(\d+)\])?$/.exec(token)!;
  const [, first, rest] = /^L\['(\w+)'\](.*)$/.exec(path!) ?? [];
  if (first === undefined || rest === undefined) return null;
  const inner = rest.replaceAll(/\['([A-Za-z_]\w*)'\]/g, ".$1");
  // What `*args` takes has names with a number.
  const value = values.get(first + inner) ?? values.get(first + inner.replace(/^\[(\d+)\]/, "_$1"));
  if (value === undefined) return null;
  return dim === undefined ? { kind: "input", value } : { kind: "size", value, dim: Number(dim) };
}

function emitted(expr: Expr, builder: GraphBuilder): Arg {
  if (expr.kind === "input") return { kind: "value", name: expr.value };
  if (expr.kind === "number") {
    return Number.isInteger(expr.value) ? { kind: "int", value: expr.value } : { kind: "float", value: expr.value };
  }
  const { op, args } = expr.kind === "call" ? operation(expr, builder) : size(expr);
  const name = builder.fresh(op.slice(op.indexOf("::") + 2).split(".")[0]!);
  const kind = isComparison(expr) ? "symbool" : isFloat(expr) ? "symfloat" : "symint";
  builder.setType(name, { kind, value: null });
  const node: Node = { name, op, args, outputs: [{ kind: "value", name }], origin: {} };
  builder.push(node);
  return { kind: "value", name };
}

type Call = Pick<Node, "op" | "args">;

function operation({ op, operands }: CallExpr, builder: GraphBuilder): Call {
  const name = OPERATORS[op]!;
  const names = name.startsWith("math::") ? ["x"] : name.startsWith("builtins::") ? ["number"] : ["a", "b"];
  return { op: name, args: operands.map((operand, i) => ({ name: names[i]!, arg: emitted(operand, builder) })) };
}

function isFloat(expr: Expr): boolean {
  if (expr.kind !== "call") return expr.kind === "number" && !Number.isInteger(expr.value);
  if (expr.op === "/" || expr.op === "torch.sym_float") return true;
  return !/^(math|round)/.test(expr.op) && expr.operands.some(isFloat);
}

function size({ value, dim }: Expr & { readonly kind: "size" }): Call {
  const self = { name: "self", arg: { kind: "value", name: value } } as const;
  return { op: "aten::sym_size.int", args: [self, { name: "dim", arg: { kind: "int", value: dim } }] };
}
