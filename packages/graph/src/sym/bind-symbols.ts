import type { Pt2Error } from "@pt2/format";
import { graphError } from "../graph-errors.ts";
import type { Program, SymRange, ValueType } from "../ir.ts";
import { type Bindings, evaluate } from "./evaluate-expr.ts";
import { symbolsOf, toExpr } from "./make-expr.ts";
import { parseSym } from "./parse-expr.ts";
import { printSym } from "./print-expr.ts";
import { solveLinear } from "./solve-linear.ts";
import type { SymExpr, SymInt } from "./sym-expr.ts";

/**
 * A lower bound up to this was assumed by the export and is not required: a program traced with a batch of 2 also runs
 * with one row. PyTorch too checks only greater bounds.
 */
const ASSUMED_LEAST = 2;

/** The caller's user input: a tensor's shape, or the number of an integer input. */
export type GivenShape = readonly number[] | number | bigint;

/** An equation between a size and its given value. `dim` is null for an integer input. */
interface Equation {
  readonly input: string;
  readonly dim: number | null;
  readonly expr: SymExpr;
  readonly given: number | bigint;
}

/**
 * Solves for every symbol from the shapes of the user inputs (by value name), and checks every size and range. Symbols
 * that depend on data stay unbound. `label` returns the caller's name of an input, for errors.
 */
export function bindSymbols(
  program: Program,
  inputShapes: ReadonlyMap<string, GivenShape>,
  label: (input: string) => string = (input) => input,
): Bindings {
  const equations = [...inputShapes].flatMap(([input, given]) => equationsOf(program, input, given, label));
  const refuse = (equation: Equation, reason: string): never => {
    throw shapeError(program, equation.input, inputShapes.get(equation.input)!, reason, label);
  };
  const bindings = solve(equations, refuse);
  for (const equation of equations) {
    if (!isKnown(equation.expr, bindings)) continue;
    const expected = evaluate(equation.expr, bindings);
    if (BigInt(expected) !== BigInt(equation.given)) {
      const at = equation.dim === null ? "it" : `dimension ${equation.dim}`;
      const wanted = equation.expr.kind === "number" ? expected : `${printSym(equation.expr)} = ${expected}`;
      refuse(equation, `${at} must be ${wanted}${origin(equations, equation, label)}`);
    }
  }
  checkRanges(program, bindings, (symbols, reason) => {
    const equation = equations.find(({ expr }) => symbols.some((name) => symbolsOf(expr).has(name)));
    return equation === undefined ? undefined : refuse(equation, reason);
  });
  return bindings;
}

function equationsOf(program: Program, input: string, given: GivenShape, label: (input: string) => string): Equation[] {
  const type = program.graph.values.get(input);
  if (typeof given === "number" || typeof given === "bigint") {
    return type?.kind === "symint" && type.value !== null
      ? [{ input, dim: null, expr: toExpr(type.value), given }]
      : [];
  }
  if (type?.kind !== "tensor") return [];
  if (type.shape.length !== given.length) {
    throw shapeError(program, input, given, `it must have ${type.shape.length} dimensions, not ${given.length}`, label);
  }
  return type.shape.map((size, dim) => ({ input, dim, expr: toExpr(size), given: given[dim]! }));
}

/** Solves equations in rounds: each round solves those with one unknown left, simplest first. */
function solve(equations: readonly Equation[], refuse: (equation: Equation, reason: string) => never): Bindings {
  const bindings = new Map<string, number | bigint>();
  const byEase = [...equations].sort((a, b) => Number(a.expr.kind === "call") - Number(b.expr.kind === "call"));
  for (let before = -1; before !== bindings.size; ) {
    before = bindings.size;
    for (const equation of byEase) {
      const solution = solveLinear(equation.expr, equation.given, bindings);
      if (solution === null) continue;
      if (solution.value === null) refuse(equation, `${equation.given} is not of the form ${printSym(equation.expr)}`);
      else bindings.set(solution.symbol, solution.value);
    }
  }
  return bindings;
}

function isKnown(expr: SymExpr, bindings: Bindings): boolean {
  return [...symbolsOf(expr)].every((name) => bindings.has(name));
}

/** Explains which input determined the symbols of a contradicted size. */
function origin(
  equations: readonly Equation[],
  { input, dim, expr }: Equation,
  label: (input: string) => string,
): string {
  const source = equations.find(
    (other) =>
      other.expr.kind === "symbol" &&
      symbolsOf(expr).has(other.expr.name) &&
      !(other.input === input && other.dim === dim),
  );
  return source === undefined
    ? ""
    : `, because \`${label(source.input)}\` has ${printSym(source.expr)} = ${source.given}`;
}

function checkRanges(
  program: Program,
  bindings: Bindings,
  refuse: (symbols: readonly string[], reason: string) => undefined,
): void {
  for (const [text, range] of program.ranges) {
    const expr = parseSym(text);
    if (!isKnown(expr, bindings)) continue;
    const value = evaluate(expr, bindings);
    if (typeof value === "boolean") continue;
    const least = range.min !== null && range.min > ASSUMED_LEAST ? range.min : null;
    const inside = (least === null || value >= least) && (range.max === null || value <= range.max);
    if (!inside) refuse([...symbolsOf(expr)], `${text} = ${value} must be ${printRange(range)}`);
  }
}

/** Formats `2 … 128`, `at least 2`. */
function printRange({ min, max }: SymRange): string {
  if (min === null) return max === null ? "any integer" : `at most ${max}`;
  return max === null ? `at least ${min}` : `${min} … ${max}`;
}

function shapeError(
  program: Program,
  input: string,
  given: GivenShape,
  reason: string,
  label: (input: string) => string,
): Pt2Error {
  const type = program.graph.values.get(input);
  const sizes = sizesOf(type);
  const expected = type?.kind === "tensor" ? `[${sizes.map(printSym).join(", ")}]` : sizes.map(printSym).join();
  const symbols = new Set(sizes.flatMap((size) => [...symbolsOf(size)]));
  const ranges = [...program.ranges].filter(([text]) =>
    [...symbolsOf(parseSym(text))].some((name) => symbols.has(name)),
  );
  const where = ranges.map(([text, range]) => `${text}: ${printRange(range)}`).join("; ");
  const got = typeof given === "object" ? `[${given.join(", ")}]` : String(given);
  return graphError("graph.input-shape", {
    what: `Input \`${label(input)}\` is ${got} but must be ${expected}${where && ` (${where})`}: ${reason}`,
    where: `input \`${label(input)}\``,
    advice: "give a tensor of that shape, or export again with other dynamic_shapes",
    details: { input, expected: sizes.map(printSym), given },
  });
}

function sizesOf(type: ValueType | undefined): readonly SymInt[] {
  if (type?.kind === "tensor") return type.shape;
  return type?.kind === "symint" && type.value !== null ? [type.value] : [];
}
