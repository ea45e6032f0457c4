import { requireArgument } from "@pt2/format/options";
import type { Arg, Node, OpName, Program } from "../ir.ts";
import { GraphBuilder } from "../passes/graph-builder.ts";
import { inputNames } from "../pytree/leaf-names.ts";
import { requireProgram } from "../validate/require-program.ts";

/** A size, a number, or an operator with two operands. */
type Expr =
  | { readonly kind: "size"; readonly value: string; readonly dim: number }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "call"; readonly op: string; readonly a: Expr; readonly b: Expr };

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
  /\s*(L\[[^\]]*\](?:\[[^\]]*\]|\.(?!size\b)\w+)*\.size\(\)\[\d+\]|\d+(?:\.\d+)?|max\b|min\b|,|\*\*|\/\/|[=<>!]=|[-+*/%<>()])/y;

/**
 * Appends to a program the guards of its file as assertions: what PyTorch found out about sizes when it made the program, which
 * computes something else where they do not hold. Types and ranges say what holds for single sizes; what is no comparison of
 * arithmetic with the sizes of inputs is left out.
 */
export function assertGuards(program: Program, guards: readonly string[]): Program {
  requireProgram("assertGuards()", program);
  requireArgument("assertGuards()", "guards", guards, "array", "graph.options");
  const { graph } = program;
  const values = valuesByPath(program);
  const builder = new GraphBuilder(graph);
  for (const guard of guards) {
    const found = parsed(guard, values);
    if (found?.kind !== "call" || isKnown(found)) continue;
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
 * Whether types and ranges say as much as a guard does: that of a single size, that two are equal, and that a size is not 0 or 1,
 * which the export assumes of all that are not numbers.
 */
function isKnown({ op, a, b }: Expr & { readonly kind: "call" }): boolean {
  const limit = b.kind === "number" ? b.value : Number.NaN;
  if (op === "!=" ? limit === 0 || limit === 1 : op === ">=" ? limit === 2 : op === ">" && limit === 1) return true;
  if (op === "!=" || a.kind === "call" || b.kind === "call") return false;
  return op === "==" || a.kind === "number" || b.kind === "number";
}

/** The values of the tensors that a program is called with, by the way to them in Python: `L['x'][0]` is `x[0]`. */
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

/** Returns the expression of a guard; null for what is none of sizes. */
function parsed(text: string, values: ReadonlyMap<string, string>): Expr | null {
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
    if (token === "max" || token === "min") {
      let a = tokens.shift() === "(" ? level(0) : null;
      while (a !== null && tokens[0] === ",") {
        tokens.shift();
        const b = level(0);
        a = b && { kind: "call", op: token, a, b };
      }
      return tokens.shift() === ")" ? a : null;
    }
    if (token === "-") {
      const b = level(POWER);
      return b && { kind: "call", op: "-", a: { kind: "number", value: 0 }, b };
    }
    if (token === undefined || !/^[L\d]/.test(token)) return null;
    return token.startsWith("L") ? sizeOf(token, values) : { kind: "number", value: Number(token) };
  };
  const level = (i: number): Expr | null => {
    const operators = LEVELS[i];
    if (operators === undefined) return atom();
    let a = level(i + 1);
    while (a !== null && operators.includes(tokens[0] ?? "")) {
      const op = tokens.shift()!;
      // A chain `a <= b <= c` is two comparisons; ranges say what those of single sizes do.
      if (i === 0 && a.kind === "call" && operators.includes(a.op)) return null;
      const b = level(i === POWER ? i : i + 1);
      a = b && { kind: "call", op, a, b };
    }
    return a;
  };
  const found = level(0);
  return tokens.length === 0 ? found : null;
}

function sizeOf(token: string, values: ReadonlyMap<string, string>): Expr | null {
  const [, path, dim] = /^(.*)\.size\(\)\[(\d+)\]$/.exec(token)!;
  const [, first, rest] = /^L\['(\w+)'\](.*)$/.exec(path!) ?? [];
  if (first === undefined || rest === undefined) return null;
  const inner = rest.replaceAll(/\['([A-Za-z_]\w*)'\]/g, ".$1");
  // What `*args` takes has names with a number.
  const value = values.get(first + inner) ?? values.get(first + inner.replace(/^\[(\d+)\]/, "_$1"));
  return value === undefined ? null : { kind: "size", value, dim: Number(dim) };
}

function emitted(expr: Expr, builder: GraphBuilder): Arg {
  if (expr.kind === "number") {
    return Number.isInteger(expr.value) ? { kind: "int", value: expr.value } : { kind: "float", value: expr.value };
  }
  const isCall = expr.kind === "call";
  const { op, args } = isCall ? operation(expr, builder) : size(expr);
  const name = builder.fresh(op.slice(op.indexOf("::") + 2).split(".")[0]!);
  const isBool = isCall && LEVELS[0]!.includes(expr.op);
  const kind = isBool ? "symbool" : isCall && expr.op === "/" ? "symfloat" : "symint";
  builder.setType(name, { kind, value: null });
  const node: Node = { name, op, args, outputs: [{ kind: "value", name }], origin: {} };
  builder.push(node);
  return { kind: "value", name };
}

type Call = Pick<Node, "op" | "args">;

function operation({ op, a, b }: Expr & { readonly kind: "call" }, builder: GraphBuilder): Call {
  const args = [
    { name: "a", arg: emitted(a, builder) },
    { name: "b", arg: emitted(b, builder) },
  ];
  return { op: OPERATORS[op]!, args };
}

function size({ value, dim }: Expr & { readonly kind: "size" }): Call {
  const self = { name: "self", arg: { kind: "value", name: value } } as const;
  return { op: "aten::sym_size.int", args: [self, { name: "dim", arg: { kind: "int", value: dim } }] };
}
