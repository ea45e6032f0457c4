import {
  type Argument,
  type Graph as FileGraph,
  type Node as FileNode,
  type NodeMetadata,
  Pt2Error,
} from "@pt2/format";
import { graphError } from "../graph-errors.ts";
import type { Graph, Node, NodeOrigin, OpName, Output, ValueType } from "../ir.ts";
import { parseOpName, splitOpName } from "../op-name.ts";
import type { SymExpr } from "../sym/sym-expr.ts";
import { importArg } from "./import-argument.ts";
import { originOf } from "./node-origin.ts";
import { ValueTypes } from "./value-types.ts";

/** PyTorch nests a handful of control-flow operators; this bounds the stack that a malicious file can use. */
const MAX_DEPTH = 64;

/** The state that the graphs of one imported program share. */
export interface ImportContext {
  readonly parsed: Map<string, SymExpr>;
  readonly where: string;
  readonly depth: number;
}

/** Imports a graph and the graphs nested in it. */
export function importGraph(file: FileGraph, context: ImportContext): Graph {
  return new GraphImporter(file, context).import();
}

class GraphImporter {
  readonly #file: FileGraph;
  readonly #context: ImportContext;
  readonly #types: ValueTypes;
  readonly #values = new Map<string, ValueType>();
  readonly #nodeNames = new Set<string>();
  readonly #ops = new Map<string, OpName>();
  readonly #origins = new Map<string, NodeOrigin>();

  constructor(file: FileGraph, context: ImportContext) {
    if (context.depth > MAX_DEPTH) {
      throw graphError("graph.depth", { what: `Graphs are nested deeper than ${MAX_DEPTH}`, where: context.where });
    }
    this.#file = file;
    this.#context = context;
    this.#types = new ValueTypes(file, context.where, context.parsed);
  }

  import(): Graph {
    const inputs = this.#file.inputs.map((input) => this.#input(input));
    const nodes = this.#file.nodes.map((node, index) => this.#node(node, index));
    const outputs = this.#file.outputs.map((output) => this.#arg(output));
    return { inputs, nodes, outputs, values: this.#values };
  }

  #arg(argument: Argument) {
    return importArg(argument, ({ name, graph }) =>
      importGraph(graph, {
        ...this.#context,
        where: `graph \`${name}\` in ${this.#context.where}`,
        depth: this.#context.depth + 1,
      }),
    );
  }

  /** A placeholder has no value if it is a constant or an integer fixed at export. */
  #input(argument: Argument): string | null {
    const name = nameOf(argument);
    if (name !== null) this.#define(name, argument);
    return name;
  }

  #define(name: string, argument: Argument): string {
    const recorded = this.#types.get(name) ?? inherentType(argument);
    if (recorded !== undefined) this.#values.set(name, recorded);
    return name;
  }

  #node(node: FileNode, index: number): Node {
    try {
      const op = this.#op(node.target);
      const results = node.outputs.map((output) => this.#output(output));
      const outputs = op.startsWith("higher_order::") ? results.flatMap(separate) : results;
      return {
        name: this.#nodeName(node, op, outputs, index),
        op,
        args: node.inputs.map(({ name, arg }) => ({ name, arg: this.#arg(arg) })),
        outputs,
        origin: this.#origin(node.metadata),
      };
    } catch (cause) {
      if (!(cause instanceof Pt2Error) || cause.where !== undefined) throw cause;
      throw new Pt2Error(cause.code, {
        what: cause.what,
        where: `nodes[${index}] (${node.name ?? node.target}) of ${this.#context.where}`,
        advice: cause.advice,
        details: cause.details,
        cause,
      });
    }
  }

  /** Cached, because a program has few ops and many nodes. */
  #op(target: string): OpName {
    const known = this.#ops.get(target);
    if (known !== undefined) return known;
    const op = parseOpName(target);
    this.#ops.set(target, op);
    return op;
  }

  /** Cached, because nodes share modules and lines. Nodes that a program created may lack the stack entry. */
  #origin(metadata: NodeMetadata): NodeOrigin {
    const stack = metadata.raw.get("nn_module_stack");
    if (stack === undefined) return originOf(metadata);
    const key = `${stack}\n${metadata.stackTrace}`;
    const known = this.#origins.get(key);
    if (known !== undefined) return known;
    const origin = originOf(metadata);
    this.#origins.set(key, origin);
    return origin;
  }

  #output(argument: Argument): Output {
    if (argument.kind === "as_tensors") {
      return { kind: "list", names: argument.names.map((name) => this.#define(name, argument)) };
    }
    const name = nameOf(argument);
    return name === null ? { kind: "none" } : { kind: "value", name: this.#define(name, argument) };
  }

  /** Returns the FX name; older files have none, so the first result names the node. */
  #nodeName(node: FileNode, op: OpName, outputs: readonly Output[], index: number): string {
    const [first] = outputs;
    const result = first?.kind === "value" ? first.name : first?.kind === "list" ? first.names[0] : undefined;
    const base = node.name ?? result ?? `${splitOpName(op).op}_${index}`;
    let name = base;
    for (let i = 1; this.#nodeNames.has(name); i++) name = `${base}_${i}`;
    this.#nodeNames.add(name);
    return name;
  }
}

/** Splits the results of a higher-order op, which exporters up to torch 2.7 wrote as one list. */
function separate(output: Output): readonly Output[] {
  return output.kind === "list" ? output.names.map((name) => ({ kind: "value", name })) : [output];
}

/** Returns the value that an argument refers to, or null. */
function nameOf(argument: Argument): string | null {
  switch (argument.kind) {
    case "as_tensor":
    case "as_optional_tensor":
    case "as_custom_obj":
      return argument.name;
    case "as_sym_int":
    case "as_sym_float":
    case "as_sym_bool":
      return argument.value.kind === "as_name" ? argument.value.name : null;
    default:
      return null;
  }
}

/** Infers a type from the kind of an argument, for values that the file does not describe. */
function inherentType(argument: Argument): ValueType | undefined {
  switch (argument.kind) {
    case "as_sym_int":
      return { kind: "symint", value: null };
    case "as_sym_float":
      return { kind: "symfloat", value: null };
    case "as_sym_bool":
      return { kind: "symbool", value: null };
    case "as_custom_obj":
      return { kind: "object", className: argument.classFqn };
    default:
      return undefined;
  }
}
