import { normalDim } from "@pt2/format";
import type { Arg, Node, OpName } from "../ir.ts";
import { argOf } from "../query/node-values.ts";
import { evaluatePython } from "../sym/evaluate-expr.ts";
import { call, toExpr } from "../sym/make-expr.ts";
import type { PyValue } from "../sym/python-number.ts";
import type { SymExpr } from "../sym/sym-expr.ts";
import { SYM_FUNCTIONS } from "../sym/sympy-functions.ts";
import type { GraphBuilder } from "./graph-builder.ts";

/** sympy's function for each Python operator on sizes, with the operator's argument names. */
const FUNCTIONS: ReadonlyMap<OpName, readonly [fn: string, ...args: readonly string[]]> = new Map([
  ["_operator::add", ["Add", "a", "b"]],
  ["_operator::mul", ["Mul", "a", "b"]],
  ["_operator::floordiv", ["FloorDiv", "a", "b"]],
  ["_operator::mod", ["Mod", "a", "b"]],
  ["_operator::pow", ["Pow", "a", "b"]],
  ["_operator::truediv", ["IntTrueDiv", "a", "b"]],
  ["_operator::lshift", ["LShift", "a", "b"]],
  ["_operator::rshift", ["RShift", "a", "b"]],
  ["_operator::eq", ["Equality", "a", "b"]],
  ["_operator::ne", ["Unequality", "a", "b"]],
  ["_operator::lt", ["StrictLessThan", "a", "b"]],
  ["_operator::le", ["LessThan", "a", "b"]],
  ["_operator::gt", ["StrictGreaterThan", "a", "b"]],
  ["_operator::ge", ["GreaterThan", "a", "b"]],
  ["math::trunc", ["TruncToInt", "x"]],
  ["math::floor", ["FloorToInt", "x"]],
  ["math::ceil", ["CeilToInt", "x"]],
  ["torch::sym_int", ["TruncToInt", "a"]],
  ["torch::sym_float", ["ToFloat", "a"]],
  ["torch::sym_not", ["Not", "a"]],
  ["torch::sym_max", ["Max", "a", "b"]],
  ["torch::sym_min", ["Min", "a", "b"]],
  ["torch::sym_ite", ["Where", "b", "t", "f"]],
  ["_operator::abs", ["Abs", "a"]],
  ["_operator::not_", ["Not", "a"]],
  ["builtins::round", ["RoundToInt", "number"]],
] as const);

/** Operators without a sympy function of their own. */
const COMPOSED: ReadonlyMap<OpName, (a: SymExpr, b: SymExpr) => SymExpr> = new Map([
  ["_operator::sub", (a, b) => call("Add", a, call("Mul", toExpr(-1), b))],
  ["_operator::neg", (a) => call("Mul", toExpr(-1), a)],
  ["_operator::pos", (a) => a],
]);

/** Conjunctions apply to booleans, and to the bits of integers. */
const LOGICAL: ReadonlyMap<OpName, readonly [boolean: string, int: string]> = new Map([
  ["_operator::and_", ["And", "BitwiseFn_bitwise_and"]],
  ["_operator::or_", ["Or", "BitwiseFn_bitwise_or"]],
] as const);

/** Returns sympy's function and its argument names. Those of one float are in several modules: `math::log2`, `torch::_sym_log2`. */
function functionOf(op: OpName): readonly [fn: string, ...args: readonly string[]] | undefined {
  const found = FUNCTIONS.get(op);
  if (found !== undefined) return found;
  const fn = op.replace(/^(math::|torch::_?sym_)/, "OpaqueUnaryFn_");
  return SYM_FUNCTIONS.has(fn) ? [fn, "a"] : undefined;
}

/** Returns whether an op computes sizes from sizes, or reads one from a tensor's shape. */
export function isSymbolic(op: OpName): boolean {
  const isCall = functionOf(op) !== undefined || COMPOSED.has(op) || LOGICAL.has(op) || op === "torch::sym_sum";
  return isCall || op in SHAPE_OPS;
}

/** A named operand of a Python operator; the name is empty for positional ones. */
export interface SymOperand<T> {
  readonly name: string;
  readonly value: T;
}

/** Returns the expression of a node's result over the expressions of its operands; null where one is unknown. */
export function symbolicResult(node: Node, types: Pick<GraphBuilder, "typeOf">): SymExpr | null {
  const shape = SHAPE_OPS[node.op];
  if (shape !== undefined) return shape(node, types);
  const operands: SymOperand<SymExpr>[] = [];
  for (const { name, arg } of node.args) {
    const value = operand(arg, types);
    if (value === null) return null;
    operands.push({ name, value });
  }
  return symbolicCall(node.op, operands);
}

/**
 * Evaluates a Python operator on concrete operands: ints are bigints, floats are numbers, by Python's rules. Returns
 * undefined for any other op.
 */
export function evaluateSymbolicOp(op: OpName, operands: readonly SymOperand<PyValue>[]): PyValue | undefined {
  const exprs = operands.map(({ name, value }) => ({ name, value: literal(value) }));
  const expr = symbolicCall(op, exprs);
  return expr === null ? undefined : evaluatePython(expr, new Map());
}

function symbolicCall(op: OpName, operands: readonly SymOperand<SymExpr>[]): SymExpr | null {
  if (operands.length === 0) return null;
  const values = operands.map(({ value }) => value);
  if (op === "torch::sym_sum") return call("Add", ...values);
  if (op === "builtins::round" && values.length === 2) return call("RoundDecimal", ...values);
  const [fn, ...names] = functionOf(op) ?? [];
  if (fn !== undefined) {
    const ordered = names.map((name, i) => (operands.find((given) => given.name === name) ?? operands[i])?.value);
    return ordered.every((expr) => expr !== undefined) ? call(fn, ...ordered) : null;
  }
  const [a, b] = values;
  const logical = LOGICAL.get(op);
  if (logical !== undefined)
    return call(values.every(({ kind }) => kind === "bool") ? logical[0] : logical[1], ...values);
  return COMPOSED.get(op)?.(a!, b ?? a!) ?? null;
}

/** Converts a Python value to an expression; an integral float stays a float. */
function literal(value: PyValue): SymExpr {
  return typeof value === "number" && Number.isInteger(value) ? call("ToFloat", toExpr(value)) : toExpr(value);
}

/** Returns the expression of a literal or of a value's recorded type. */
function operand(arg: Arg, types: Pick<GraphBuilder, "typeOf">): SymExpr | null {
  if (arg.kind === "int" || arg.kind === "bool") return toExpr(arg.value);
  // An integral float stays a float.
  if (arg.kind === "float") return Number.isInteger(arg.value) ? call("ToFloat", toExpr(arg.value)) : toExpr(arg.value);
  if (arg.kind !== "value") return null;
  const type = types.typeOf(arg.name);
  if (type === undefined || type.kind === "tensor" || type.kind === "object" || type.value === null) return null;
  const expr = toExpr(type.value);
  return type.kind === "symfloat" && expr.kind === "number" && Number.isInteger(expr.value)
    ? call("ToFloat", expr)
    : expr;
}

type ShapeRule = (node: Node, types: Pick<GraphBuilder, "typeOf">) => SymExpr | null;

function tensorOf(node: Node, types: Pick<GraphBuilder, "typeOf">) {
  const self = argOf(node, "self");
  const type = self?.kind === "value" ? types.typeOf(self.name) : undefined;
  return type?.kind === "tensor" ? type : null;
}

function dimOf(node: Node, rank: number): number | null {
  const dim = argOf(node, "dim");
  if (dim?.kind !== "int") return null;
  const index = normalDim(Number(dim.value), rank);
  return index >= 0 && index < rank ? index : null;
}

const SHAPE_OPS: Readonly<Record<OpName, ShapeRule>> = {
  "aten::sym_size.int": (node, types) => {
    const type = tensorOf(node, types);
    const dim = type === null ? null : dimOf(node, type.shape.length);
    return type === null || dim === null ? null : toExpr(type.shape[dim]!);
  },
  "aten::sym_stride.int": (node, types) => {
    const type = tensorOf(node, types);
    const dim = type === null ? null : dimOf(node, type.strides.length);
    return type === null || dim === null ? null : toExpr(type.strides[dim]!);
  },
  "aten::sym_storage_offset": (node, types) => {
    const type = tensorOf(node, types);
    return type === null ? null : toExpr(type.storageOffset);
  },
  "aten::sym_numel": (node, types) => {
    const type = tensorOf(node, types);
    return type === null ? null : call("Mul", toExpr(1), ...type.shape.map(toExpr));
  },
};
