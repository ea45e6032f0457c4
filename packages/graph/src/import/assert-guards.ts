import type { Pt2Error } from "@pt2/format";
import { requireArgument } from "@pt2/format/options";
import { graphError } from "../graph-errors.ts";
import type { Arg, InputSpec, NamedArg, OpName, Program, ValueType } from "../ir.ts";
import { GraphBuilder } from "../passes/graph-builder.ts";
import { inputNames } from "../pytree/leaf-names.ts";
import { childName } from "../pytree/pytree-structure.ts";
import { sameExpr, toExpr } from "../sym/make-expr.ts";
import { printSym } from "../sym/print-expr.ts";
import type { SymInt } from "../sym/sym-expr.ts";
import { requireProgram } from "../validate/require-program.ts";
import { COMPARISONS, type GuardCall, type GuardExpr, type GuardInput, parseGuard } from "./parse-guard.ts";

/**
 * Appends to a program the guards of its file as assertions: what PyTorch found out about the numbers of a call when it made
 * the program, which computes something else where they do not hold. Those that types and ranges imply are left out.
 */
export function assertGuards(program: Program, guards: readonly string[]): Program {
  requireProgram("assertGuards()", program);
  requireArgument("assertGuards()", "guards", guards, "array", "graph.options");
  const writer = new GuardWriter(program);
  for (const guard of new Set(guards)) writer.assert(guard);
  const { builder } = writer;
  for (const node of program.graph.nodes) builder.push(node);
  return { ...program, graph: builder.build(program.graph.outputs) };
}

class GuardWriter {
  readonly builder: GraphBuilder;
  readonly #program: Program;
  /** The names of the leaves of a call. */
  readonly #names: readonly string[];
  readonly #inputs: ReadonlyMap<string, Arg>;
  /** What calls and sizes are computed by, as guards repeat them. */
  readonly #made = new Map<string, Arg>();

  constructor(program: Program) {
    this.#program = program;
    const { inSpec, forwardArgs, namedTuples } = program;
    this.#names = inSpec === null ? [] : inputNames(inSpec, forwardArgs, namedTuples);
    this.#inputs = inputsByPath(program.inputs, this.#names);
    this.builder = new GraphBuilder(program.graph);
  }

  assert(guard: string): void {
    let found: GuardExpr;
    try {
      found = parseGuard(guard);
      if (readsLayout(found) || this.#isImplied(found)) return;
      this.#write(found, guard);
    } catch (cause) {
      throw uncheckable(guard, cause as Pt2Error);
    }
  }

  #write(found: GuardExpr, guard: string): void {
    const self = this.#emit(found);
    const named = guard.replaceAll(/L\['flat_args'\]\[(\d+)\]/g, (path, i) => this.#names[i] ?? path);
    const text = named.replaceAll(/L\['(\w+)'\]/g, "$1");
    const message = { name: "assert_msg", arg: { kind: "string", value: `Guard failed: ${text}` } } as const;
    const args = [{ name: "self", arg: self }, message];
    this.builder.push({ name: this.builder.fresh("guard"), op: "aten::_assert_scalar", args, outputs: [], origin: {} });
  }

  /** Whether every call that fits types and ranges fulfills a comparison: those of single sizes are in the ranges. */
  #isImplied(found: GuardExpr): boolean {
    if (found.kind !== "call" || ![...COMPARISONS.values()].includes(found.op)) return false;
    const [a, b] = found.operands as readonly [GuardExpr, GuardExpr];
    const size = this.#typeOf(a);
    if (size === null) return false;
    if (b.kind === "input") {
      const other = this.#typeOf(b);
      return found.op === "_operator::eq" && other !== null && sameExpr(toExpr(size), toExpr(other));
    }
    const range = this.#program.ranges.get(printSym(size));
    if (range === undefined || b.kind !== "number") return false;
    const [least, most, limit] = [
      range.min ?? Number.NEGATIVE_INFINITY,
      range.max ?? Number.POSITIVE_INFINITY,
      b.value,
    ];
    // Lower bounds up to 2 are in the ranges of all sizes, and not required.
    if (found.op === "_operator::ge") return least >= limit && limit > 2;
    if (found.op === "_operator::gt") return least > limit && limit >= 2;
    if (found.op === "_operator::le") return most <= limit;
    return found.op === "_operator::lt" && most < limit;
  }

  /** Returns what the file says of a size or a number that is given. */
  #typeOf(expr: GuardExpr): SymInt | null {
    const given = expr.kind === "input" ? this.#given(expr) : null;
    if (expr.kind !== "input" || given?.kind !== "value") return null;
    const type = this.#program.graph.values.get(given.name);
    if (expr.of === "number") return type?.kind === "symint" ? type.value : null;
    return type?.kind === "tensor" ? (type.shape[expr.dim] ?? null) : null;
  }

  #given({ path }: GuardInput): Arg {
    const [first, second, ...others] = path;
    const name = nameOf(path);
    // What `*args` takes has names with a number.
    const given =
      this.#inputs.get(name) ??
      (typeof second === "number" ? this.#inputs.get(nameOf([`${first}_${second}`, ...others])) : undefined);
    if (given !== undefined) return given;
    throw graphError("graph.guard", { what: `there is no input \`${name}\`` });
  }

  #emit(expr: GuardExpr): Arg {
    if (expr.kind === "bool") return expr;
    if (expr.kind === "number") return { kind: expr.isFloat ? "float" : "int", value: expr.value };
    if (expr.kind === "call") {
      const names = argumentNames(expr);
      const args = expr.operands.map((operand, i) => ({ name: names[i]!, arg: this.#emit(operand) }));
      return this.#call(expr.op, args, kindOf(expr));
    }
    const given = this.#given(expr);
    if (expr.of === "number") return given;
    const dim: NamedArg = { name: "dim", arg: { kind: "int", value: expr.dim } };
    return this.#call("aten::sym_size.int", [{ name: "self", arg: given }, dim], "symint");
  }

  #call(op: OpName, args: readonly NamedArg[], kind: NumberKind): Arg {
    const key = [op, ...args.map(({ arg }) => textOf(arg))].join();
    const made = this.#made.get(key);
    if (made !== undefined) return made;
    const type = { kind, value: null } satisfies ValueType;
    const like = op.slice(op.indexOf("::") + 2).replace(/\..*|^_|_$/g, "");
    const [name] = this.builder.emit({ op, args, results: [{ name: like, type }], origin: {} });
    const arg: Arg = { kind: "value", name: name! };
    this.#made.set(key, arg);
    return arg;
  }
}

function textOf(arg: Arg): string {
  return arg.kind === "value" ? arg.name : `${arg.kind} ${"value" in arg ? arg.value : ""}`;
}

type NumberKind = "symbool" | "symfloat" | "symint";

function argumentNames({ op, operands }: GuardCall): readonly string[] {
  if (op.startsWith("math::")) return ["x"];
  if (op.startsWith("builtins::")) return ["number", "ndigits"];
  return operands.length === 3 ? ["b", "t", "f"] : ["a", "b"];
}

function kindOf(expr: GuardExpr): NumberKind {
  if (expr.kind === "bool") return "symbool";
  if (expr.kind === "number") return expr.isFloat ? "symfloat" : "symint";
  if (expr.kind === "input") return "symint";
  const { op, operands } = expr;
  if ([...COMPARISONS.values(), "torch::sym_not"].includes(op)) return "symbool";
  if (ROUNDS.test(op)) return operands.length === 1 ? "symint" : "symfloat";
  if (REAL.test(op)) return "symfloat";
  const kinds = new Set((op === "torch::sym_ite" ? operands.slice(1) : operands).map(kindOf));
  if (kinds.has("symfloat")) return "symfloat";
  return kinds.has("symint") || !LOGICAL.test(op) ? "symint" : "symbool";
}

const ROUNDS = /^(math::(ceil|floor|trunc)|builtins::round)$/;
const REAL = /^(math::|torch::(_sym_sqrt|sym_float)$|_operator::truediv$)/;
const LOGICAL = /^(_operator::(and_|or_)|torch::sym_ite)$/;

/** Whether a guard is about memory: here values are given, which lie in it as the program was made for. */
function readsLayout(expr: GuardExpr): boolean {
  if (expr.kind === "call") return expr.operands.some(readsLayout);
  return expr.kind === "input" && expr.of === "layout";
}

/**
 * The values that a program is called with, and those that are fixed, by the way to them in Python: `L['x'][0]` is `x[0]`.
 * Programs that Dynamo traced number them, `L['flat_args'][3]`, and objects that are unfolded here have numbers there.
 */
function inputsByPath(inputs: readonly InputSpec[], names: readonly string[]): ReadonlyMap<string, Arg> {
  const leaves = inputs.filter(({ kind }) => kind === "user_input" || kind === "constant_input");
  const [named, numbered] = [new Map<string, Arg>(), new Map<string, Arg>()];
  const counts = new Map<string, number>();
  leaves.forEach((spec, i) => {
    const name = names[i] ?? "";
    const parameter = /^\w*/.exec(name)![0];
    const number = counts.get(parameter) ?? 0;
    counts.set(parameter, number + 1);
    const given = givenOf(spec);
    if (given === null) return;
    named.set(name, given);
    numbered.set(nameOf(["flat_args", i]), given).set(nameOf([parameter, number]), given);
  });
  return new Map([...numbered, ...named]);
}

function givenOf(spec: InputSpec): Arg | null {
  if (spec.kind === "constant_input") return spec.constant;
  return spec.kind === "user_input" && spec.value !== null ? { kind: "value", name: spec.value } : null;
}

function nameOf(path: readonly (string | number)[]): string {
  return path.reduce<string>(childName, "");
}

function uncheckable(guard: string, cause: Pt2Error): Pt2Error {
  return graphError("graph.guard", {
    what: `The export found that the program holds only where \`${guard}\`, which cannot be checked: ${cause.what}`,
    advice: "export the program again with another version of PyTorch, or report it",
    details: { guard },
    cause,
  });
}
