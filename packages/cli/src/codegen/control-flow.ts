import type { Arg, Node } from "@pt2/graph";
import type { Fn } from "./module-file.ts";

/** The written parts of a node that calls graphs. */
export interface ControlFlowText {
  /** The functions of the graphs, in the order of the node's arguments. */
  readonly graphs: readonly Fn[];
  /** The arguments that every function takes first: the namespaces of ops. */
  readonly ops: readonly string[];
  /** Writes the arguments of a list, with their types. */
  operands(arg: Arg | undefined): readonly TypedText[];
  /** Gives names to the results of the node, in order: to the first `all`, and to those that are read; others are empty. */
  define(all: number): readonly string[];
  /** Returns a new identifier. */
  name(like: string): string;
}

interface TypedText {
  readonly text: string;
  readonly type: string;
}

/** What a graph of a node is for, in the comment of its function. */
export function graphRole({ op }: Node, at: number): string | undefined {
  if (op === "higher_order::cond") return "A branch of `cond`";
  if (op === "higher_order::while_loop") return `The ${at === 0 ? "condition" : "body"} of \`while_loop\``;
  if (op === "higher_order::scan") return "A step of `scan`";
  return op === "higher_order::map_impl" ? "The body of `map`" : undefined;
}

/** Writes `cond` as a conditional expression. Operands: `(pred, true graph, false graph, operands)`. */
export function condLines({ args }: Node, { graphs, ops, operands, define }: ControlFlowText): readonly string[] {
  const pred = operands(args[0]!.arg)[0]!;
  const given = operands(args[3]!.arg).map(({ text }) => text);
  const [yes, no] = graphs.map((fn) => callText(fn, [...ops, ...given]));
  const test = pred.type === "Tensor" ? `(${testText(pred)})` : pred.text;
  return [`${assigned(define(0))}${test} ? ${yes} : ${no};`];
}

/** Writes `while_loop` as a loop. Operands: `(cond graph, body graph, carried, additional)`. */
export function whileLines(
  { args }: Node,
  conditionType: string,
  { graphs, ops, operands, define }: ControlFlowText,
): readonly string[] {
  const carried = operands(args[2]!.arg);
  const more = operands(args[3]?.arg).map(({ text }) => text);
  const names = define(Number.POSITIVE_INFINITY);
  const [condition, body] = graphs.map((fn) => callText(fn, [...ops, ...names, ...more]));
  const one = carried.length === 1;
  const begin = carried.map(({ text }) => text).join(", ");
  const types = carried.map(({ type }) => type).join(", ");
  return [
    one ? `let ${names[0]}: ${types} = ${begin};` : `let [${names.join(", ")}]: readonly [${types}] = [${begin}];`,
    `while (${testText({ text: condition!, type: conditionType })}) {`,
    `  ${one ? names[0] : `[${names.join(", ")}]`} = ${body};`,
    "}",
  ];
}

/** Writes `scan` as a loop. Operands: `(combine graph, init, xs, additional)`. Results: the carries, then stacked rows. */
export function scanLines({ args }: Node, text: ControlFlowText): readonly string[] {
  return sequenceLines(args[1]!.arg, args[2]!.arg, args[3]?.arg, text);
}

/** Writes `map` as a loop. Operands: `(body graph, xs, additional)`. Results: stacked rows. */
export function mapLines({ args }: Node, text: ControlFlowText): readonly string[] {
  return sequenceLines(undefined, args[1]!.arg, args[2]?.arg, text);
}

function sequenceLines(
  init: Arg | undefined,
  xs: Arg,
  additional: Arg | undefined,
  { graphs, ops, operands, define, name }: ControlFlowText,
): readonly string[] {
  const [begin, inputs, more] = [operands(init), operands(xs), operands(additional)];
  const names = define(begin.length);
  const carries = names.slice(0, begin.length);
  const stacked = names.slice(begin.length).map((result) => ({ result, rows: name(`${result || "unread"}Rows`) }));
  const given = [
    ...carries,
    ...inputs.map(({ text }) => `aten.select(${text}, 0, i)`),
    ...more.map(({ text }) => text),
  ];
  const call = callText(graphs[0]!, [...ops, ...given]);
  const read = stacked.filter(({ result }) => result !== "");
  const step = name("step");
  const single = names.length === 1;
  const part = (at: number): string => (single ? step : `${step}[${at}]`);
  return [
    ...carries.map((carry, k) => `let ${carry}: ${begin[k]!.type} = ${begin[k]!.text};`),
    ...read.map(({ rows }) => `const ${rows}: Tensor[] = [];`),
    `for (let i = 0; i < ${inputs[0]!.text}.shape[0]!; i++) {`,
    `  const ${step} = ${call};`,
    ...carries.map((carry, k) => `  ${carry} = ${part(k)};`),
    ...stacked.flatMap(({ result, rows }, k) => (result === "" ? [] : `  ${rows}.push(${part(carries.length + k)});`)),
    "}",
    ...read.map(({ result, rows }) => `const ${result} = aten.stack(${rows});`),
  ];
}

/** Writes what decides; a tensor is read. */
function testText({ text, type }: TypedText): string {
  return type === "Tensor" ? `await aten.item(${text})` : text;
}

function assigned(names: readonly string[]): string {
  if (names.every((name) => name === "")) return "";
  return `const ${names.length === 1 ? names[0] : `[${names.join(", ").replace(/(, )+$/, "")}]`} = `;
}

function callText({ name, isAsync }: Fn, args: readonly string[]): string {
  return `${isAsync ? "await " : ""}${name}(${args.join(", ")})`;
}
