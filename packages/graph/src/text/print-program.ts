import { type OptionTypes, requireOptions } from "@pt2/format/options";
import type { Graph, InputSpec, Node, Output, OutputSpec, Program } from "../ir.ts";
import { requireGraph, requireProgram } from "../validate/require-program.ts";
import { printArg, printArgs, printOrigin } from "./print-arg.ts";
import { printTree } from "./print-tree.ts";
import { printType } from "./print-type.ts";
import { printName } from "./short-names.ts";

/** Options of the text form. */
export interface PrintOptions {
  /** Module and Python line of each node after `#`. @default true */
  readonly origins?: boolean;
}

const OPTIONS: OptionTypes = { origins: "boolean" };

/** Prints the text form of a valid program; `parse` reads it back to an equal one. */
export function print(program: Program, options: PrintOptions = {}): string {
  requireProgram("print()", program);
  requireOptions("print()", options, OPTIONS, "graph.options");
  const { dialect, torchVersion, graph } = program;
  const printer = new GraphPrinter(graph, "  ", options);
  const header = [
    program.forwardArgs.length === 0 ? [] : [`forward(${program.forwardArgs.map(printName).join(", ")})`],
    [...program.ranges].map(
      ([text, { min, max }]) => `range ${printName(text)} = [${min ?? "none"}, ${max ?? "none"}]`,
    ),
    [...program.namedTuples].map(
      ([type, fields]) => `named_tuple ${JSON.stringify(type)}(${fields.map(printName).join(", ")})`,
    ),
    program.inSpec === null ? [] : [`in_spec ${printTree(program.inSpec)}`],
    program.outSpec === null ? [] : [`out_spec ${printTree(program.outSpec)}`],
    program.inputs.map((spec) => printInput(spec, printer)),
  ].flat();
  const results = graph.outputs.map((arg, i) => printer.arg(arg) + printOutputSpec(program.outputs[i]));
  return [
    `program ${JSON.stringify(dialect)} torch ${JSON.stringify(torchVersion)} {`,
    ...header.map((line) => `  ${line}`),
    ...printer.nodes(),
    `  ${["return", results.join(", ")].join(" ").trimEnd()}`,
    "}\n",
  ].join("\n");
}

/** Prints the text form of a graph; `parseGraph` reads it back. */
export function printGraph(graph: Graph, options: PrintOptions = {}): string {
  requireGraph("printGraph()", graph);
  requireOptions("printGraph()", options, OPTIONS, "graph.options");
  return `${printNested("", graph, "", options)}\n`;
}

function printNested(name: string, graph: Graph, indent: string, options: PrintOptions): string {
  const printer = new GraphPrinter(graph, `${indent}  `, options);
  const head = name === "" ? "graph" : `graph ${printName(name)}`;
  const inputs = graph.inputs.map((input) => (input === null ? "none" : printer.value(input)));
  const results = graph.outputs.map((arg) => printer.arg(arg)).join(", ");
  return [
    `${head}(${inputs.join(", ")}) {`,
    ...printer.nodes(),
    `${indent}  ${`return ${results}`.trimEnd()}`,
    `${indent}}`,
  ].join("\n");
}

class GraphPrinter {
  readonly #graph: Graph;
  readonly #indent: string;
  readonly #options: PrintOptions;

  constructor(graph: Graph, indent: string, options: PrintOptions) {
    this.#graph = graph;
    this.#indent = indent;
    this.#options = options;
  }

  nodes(): readonly string[] {
    return this.#graph.nodes.map((node) => this.#indent + this.#node(node));
  }

  arg(arg: Graph["outputs"][number]): string {
    return printArg(arg, this.#nested);
  }

  /** Prints the definition of a value: its name and type. */
  value(name: string): string {
    const type = this.#graph.values.get(name);
    return type === undefined ? `%${printName(name)}` : `%${printName(name)}: ${printType(type)}`;
  }

  readonly #nested = (name: string, graph: Graph): string => printNested(name, graph, this.#indent, this.#options);

  #node(node: Node): string {
    const label = impliedNodeName(node.outputs) === node.name ? "" : `${printName(node.name)}: `;
    const results = node.outputs.map((output) => this.#output(output)).join(", ");
    const call = `${node.op}(${printArgs(node.op, node.args, this.#nested)})`;
    const origin = this.#options.origins === false ? "" : printOrigin(node.origin);
    return `${label}${results}${results === "" ? "" : " = "}${call}${origin}`;
  }

  #output(output: Output): string {
    if (output.kind === "none") return "none";
    if (output.kind === "value") return this.value(output.name);
    return `[${output.names.map((name) => this.value(name)).join(", ")}]`;
  }
}

/** Returns the implied name of a node, which is that of its first result. */
export function impliedNodeName(outputs: readonly Output[]): string | null {
  const [first] = outputs;
  if (first?.kind === "value") return first.name;
  return first?.kind === "list" ? (first.names[0] ?? null) : null;
}

function printInput(spec: InputSpec, printer: GraphPrinter): string {
  switch (spec.kind) {
    case "user_input":
      return `user_input ${spec.value === null ? "none" : printer.value(spec.value)}`;
    case "constant_input":
      return `constant_input ${JSON.stringify(spec.name)} = ${printer.arg(spec.constant)}`;
    case "token":
      return `token ${printer.value(spec.value)}`;
    case "buffer": {
      const kind = spec.persistent ? "buffer" : "transient_buffer";
      return `${kind} ${JSON.stringify(spec.target)} = ${printer.value(spec.value)}`;
    }
    case "parameter":
    case "tensor_constant":
    case "custom_obj":
      return `${spec.kind} ${JSON.stringify(spec.target)} = ${printer.value(spec.value)}`;
  }
}

function printOutputSpec(spec: OutputSpec | undefined): string {
  if (spec === undefined || spec.kind === "user_output") return "";
  return "target" in spec ? ` -> ${spec.kind} ${JSON.stringify(spec.target)}` : ` -> ${spec.kind}`;
}
