import type { OverloadOf } from "@pt2/eager";
import { type Arg, argOf, type Node, splitOpName } from "@pt2/graph";
import type { OpRecord, OpSchema, SchemaDefault, SchemaType } from "@pt2/registry";
import { stringLiteral } from "../declare/quote.ts";
import { argumentData } from "./argument-data.ts";
import { argumentText } from "./argument-text.ts";

/** What the text of a call depends on, beside its node. */
export interface CallScope {
  /** The parameter that has the ops. */
  readonly namespace: string;
  readonly overloadOf: OverloadOf;
  /** Returns what stands for a value. */
  textOf(value: string): string;
  /** Returns the TypeScript type of a value. */
  typeOf(value: string): string;
}

/**
 * Writes a node as an eager call: required arguments by position, the others by name where they are not the default, and
 * the name of the overload where the arguments mean another one without it.
 */
export function eagerCallText(
  node: Node,
  { name: full, schema, dynamic = false }: OpRecord,
  { namespace, overloadOf, textOf, typeOf }: CallScope,
): { readonly text: string; readonly isAsync: boolean } {
  const positional: string[] = [];
  const keywords: string[] = [];
  const given: unknown[] = [];
  const named: Record<string, unknown> = {};
  for (const { name, type, default: value, kwargOnly } of schema.args) {
    const arg = argOf(node, name);
    // Tensors are where the backend computes; only what must be said is.
    if (arg === undefined || (arg.kind === "device" && value !== undefined) || isOpenEnd(arg, value)) continue;
    const text = argumentText(arg, type, textOf);
    if (text === undefined) continue;
    if (keywords.length === 0 && value === undefined && !kwargOnly) {
      positional.push(text);
      given.push(argumentData(arg, type, typeOf));
    } else if (!isDefault(text, arg, value) && name !== "pin_memory") {
      keywords.push(`${name}: ${text}`);
      named[name] = argumentData(arg, type, typeOf);
    }
  }
  const args = [...positional, ...(keywords.length === 0 ? [] : [`{ ${keywords.join(", ")} }`])];
  // A number in place of a tensor is PyTorch's own conversion, which only the op without its overload does.
  const isExact = schema.args.every(({ name, type }) => !isNumber(argOf(node, name)) || !isTensorType(type));
  const { namespace: own, op, overload } = splitOpName(node.op);
  const of = own === "aten" ? "" : resultType(schema);
  const called = own === "aten" ? op : `${op}!`;
  const isMeant = overloadOf(full, keywords.length === 0 ? given : [...given, named]) === full;
  const member = `${called}.${overload || "default"}${own === "aten" ? "" : "!"}`;
  const name = isMeant || !isExact ? called : member;
  // Calls whose results only a run knows return a promise.
  const isAsync = dynamic !== false || schema.returns.length === 0;
  return { text: `${isAsync ? "await " : ""}${namespace}.${name}${of}(${listText(args)})`, isAsync };
}

/** Writes what a call of an op returns whose types are not generated; nothing for one tensor, which is the default. */
function resultType({ returns }: OpSchema): string {
  const types = returns.map(({ type }) => (type.kind === "list" ? "readonly Tensor[]" : "Tensor"));
  if (types.length === 1) return types[0] === "Tensor" ? "" : `<${types[0]}>`;
  return `<readonly [${types.join(", ")}]>`;
}

function isNumber(arg: Arg | undefined): boolean {
  return arg !== undefined && ["int", "float", "bool", "complex"].includes(arg.kind);
}

function isTensorType(type: SchemaType): boolean {
  return type.kind === "optional" ? isTensorType(type.inner) : type.kind === "base" && type.base === "Tensor";
}

/** Whether an argument is the default of its schema; `stride=1` stands for `[1, 1]`. */
function isDefault(text: string, arg: Arg, value: SchemaDefault | undefined): boolean {
  if (text === defaultText(value)) return true;
  return arg.kind === "list" && arg.items.every((item) => item.kind === "int" && item.value === value);
}

/** Whether an argument is the end of a slice that PyTorch writes where the source has none. */
function isOpenEnd(arg: Arg, value: SchemaDefault | undefined): boolean {
  return value === null && arg.kind === "int" && BigInt(arg.value) === 2n ** 63n - 1n;
}

/** Writes the default of a schema as an argument is written. */
function defaultText(value: SchemaDefault | undefined): string | undefined {
  if (Array.isArray(value)) return `[${value.map(defaultText).join(", ")}]`;
  if (typeof value === "string") return stringLiteral(value);
  if (typeof value === "object" && value !== null) return "float" in value ? String(value.float) : undefined;
  return String(value);
}

/** Writes arguments, one on a line if they are many. */
function listText(args: readonly string[]): string {
  const line = args.join(", ");
  return line.length <= 90 ? line : `\n    ${args.join(",\n    ")},\n  `;
}
