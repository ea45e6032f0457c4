// Rules of users' ops are functions, which cannot cross threads, but their arguments and results can.

import type { OpName } from "@pt2/graph";
import { type ArgValue, isTensorMeta, type OpRecord, type ScalarExpr, type TensorMeta } from "@pt2/registry";
import type { WireError } from "./wire-error.ts";

/** Rules whose one argument is the resolved arguments of a call: they are evaluated together. */
export const CALL_RULES = ["validate", "promote", "dynamic", "infer", "decompose"] as const;

export type CallRule = (typeof CALL_RULES)[number];

/** A record of a user's without the rules that are functions; their names are listed instead. */
export interface WireRecord {
  readonly data: Omit<OpRecord, "gradient" | "inverse">;
  readonly rules: readonly (CallRule | "scalar" | "view" | "compute")[];
}

/** An op set of a user's, with the records that the program needs. */
export interface WireOpSet {
  readonly name: string;
  readonly replace: boolean;
  readonly ops: readonly WireRecord[];
  /** The namespaces of its other ops, whose records the worker asks for if an op of these is called after all. */
  readonly others: readonly string[];
}

/** A kernel of a WebAssembly module, without its functions. */
export interface WireKernel {
  readonly ops: readonly OpName[];
  readonly module: Uint8Array;
  /** Whether it may decline arguments. */
  readonly declines: boolean;
}

/** Calls of functions of a module, over the tensors of the call of an op. */
export interface WireCalls {
  readonly temporaries: readonly TensorMeta[];
  readonly calls: readonly (readonly [name: string, ...args: readonly WireOperand[]])[];
}

/** A number, or which tensor: of the arguments as leaves, of the results, of the temporaries. */
export type WireOperand = number | bigint | { readonly of: "args" | "results" | "temporaries"; readonly at: number };

/** The op sets of users that a program is compiled with, and results of their rules as far as they are foreseen. */
export interface WireRules {
  readonly sets: readonly WireOpSet[];
  readonly kernels: readonly WireKernel[];
  readonly answers: RuleAnswers;
}

/**
 * The rules of an op to evaluate: those of {@link CALL_RULES}, `view`, `scalar`, or those of a kernel; or the records of
 * the op set of this name. Tensors have neither data nor name.
 */
export type RuleQuestion = { readonly op: string } & (
  | { readonly rule: "records"; readonly args: readonly [set: string] }
  | { readonly rule: "call"; readonly args: WireArgs }
  | { readonly rule: "view"; readonly args: readonly [self: object, args: WireArgs] }
  | { readonly rule: "scalar"; readonly args: readonly unknown[] }
  | { readonly rule: "accepts"; readonly args: readonly [kernel: number, args: WireArgs] }
  | { readonly rule: "calls"; readonly args: readonly [kernel: number, args: WireArgs, results: readonly WireArg[]] }
);

/** The result of a rule, or the error that it threw. */
export type Outcome = { readonly value: unknown } | { readonly error: WireError };

/** The outcome of each rule. */
export type RuleAnswer = Readonly<
  Partial<Record<CallRule | "scalar" | "view" | "accepts" | "calls" | "records", Outcome>>
>;

/** Answers to a question, and to those that will be next. */
export type RuleAnswers = readonly (readonly [question: RuleQuestion, answer: RuleAnswer])[];

/** A decomposition: calls one after the other, and which of the tensors are its results. */
export interface Recipe {
  readonly calls: readonly { readonly op: string; readonly args: WireArgs }[];
  readonly result: WireArg;
}

/**
 * An argument; in a recipe a tensor is the index of a leaf: of the arguments first, then of the results of each call.
 */
export type WireArg = Exclude<ArgValue, readonly ArgValue[]> | { readonly leaf: number } | readonly WireArg[];

export type WireArgs = Readonly<Record<string, WireArg>>;

/** An expression over the operands of its rule, by their positions. */
export type WireExpr =
  | Exclude<ScalarExpr, { readonly kind: "input" }>
  | { readonly kind: "operand"; readonly position: number };

export function isExpression(value: unknown): value is ScalarExpr | WireExpr {
  return typeof value === "object" && value !== null && "kind" in value;
}

/** Converts an argument to what a rule on another thread gets. A runtime scalar is known by its dtype alone. */
export function toPlain(value: ArgValue): WireArg {
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isTensorMeta(value)) return value as WireArg;
  const { dtype, shape, wrapped, number } = value;
  const plain: TensorMeta = { dtype, shape: [...shape] };
  if (number !== undefined) return { ...plain, number: { value: 0 } };
  return wrapped === undefined ? plain : { ...plain, wrapped };
}

/** Makes the question about the rules of a call with these arguments. */
export function callQuestion(op: string, args: Readonly<Record<string, ArgValue>>): RuleQuestion {
  return { op, rule: "call", args: mapArgs(args, toPlain) };
}

/** Applies `change` to every argument. */
export function mapArgs<From, To>(
  args: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, change(value)]));
}

/** Returns what lists hold, in an order that is the same on both threads. */
export function leavesOf<Leaf>(value: Leaf | readonly Leaf[]): readonly Leaf[] {
  return Array.isArray(value) ? value.flatMap(leavesOf) : [value as Leaf];
}

/** Returns a key that is equal for questions to which rules give the same answer. */
export function keyOf({ op, rule, args }: RuleQuestion): string {
  return `${rule} ${op} ${textOf(args)}`;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf)}]`;
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return `${typeof value} ${Object.is(value, -0) ? "-0" : value}`;
  return `{${Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${textOf(item)}`)}}`;
}
