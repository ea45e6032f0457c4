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
  /** Gives names to the results of the node, in order: to all, or only to those that are read; others are empty. */
  define(which: "all" | "read"): readonly string[];
}

interface TypedText {
  readonly text: string;
  readonly type: string;
}

/** What a graph of a node is for, in the comment of its function. */
export function graphRole({ op }: Node, at: number): string | undefined {
  if (op === "higher_order::cond") return "A branch of `cond`";
  if (op === "higher_order::while_loop") return `The ${at === 0 ? "condition" : "body"} of \`while_loop\``;
  return undefined;
}

/** Writes `cond` as a conditional expression. Operands: `(pred, true graph, false graph, operands)`. */
export function condLines({ args }: Node, { graphs, ops, operands, define }: ControlFlowText): readonly string[] {
  const pred = operands(args[0]!.arg)[0]!;
  const given = operands(args[3]!.arg).map(({ text }) => text);
  const [yes, no] = graphs.map((fn) => callText(fn, [...ops, ...given]));
  const test = pred.type === "Tensor" ? `(${testText(pred)})` : pred.text;
  return [`${assigned(define("read"))}${test} ? ${yes} : ${no};`];
}

/** Writes `while_loop` as a loop. Operands: `(cond graph, body graph, carried, additional)`. */
export function whileLines(
  { args }: Node,
  conditionType: string,
  { graphs, ops, operands, define }: ControlFlowText,
): readonly string[] {
  const carried = operands(args[2]!.arg);
  const more = operands(args[3]?.arg).map(({ text }) => text);
  const names = define("all");
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
