import {
  type Arg,
  argOf,
  definitionsOf,
  describeNode,
  type Graph,
  graphsOf,
  type Node,
  type OutputSpec,
  type Program,
  splitOpName,
  usesOf,
  type ValueType,
} from "@pt2/graph";
import { commentText, stringLiteral } from "../declare/quote.ts";
import { argumentText } from "./argument-text.ts";
import { type ControlFlowText, condLines, graphRole, mapLines, scanLines, whileLines } from "./control-flow.ts";
import { eagerCallText } from "./eager-call-text.ts";
import type { Fn, ModuleFile } from "./module-file.ts";
import { type ModuleCall, moduleTree, nodesOf } from "./module-tree.ts";
import { ResultText, resultText } from "./result-text.ts";
import { sizeText } from "./size-text.ts";
import { joined, type Statement, statementLines } from "./statement.ts";

/** Nodes that tell a compiler what it may assume. */
const ASSUMPTIONS = /^aten::(_assert_tensor_metadata|sym_constrain_range)/;

/** Whether an output is the new value of a weight. */
function isWrite(spec: OutputSpec): spec is OutputSpec & { readonly kind: "buffer_mutation" | "parameter_mutation" } {
  return spec.kind === "buffer_mutation" || spec.kind === "parameter_mutation";
}

/** Whether calls of a program write to its buffers or parameters. */
export function writesWeights(program: Program | null): boolean {
  return program?.outputs.some(isWrite) === true;
}

/** Returns the type of a result that is the same in every call. */
function typeOfConstant({ kind }: Arg): string {
  if (kind === "int" || kind === "float") return "number";
  if (kind === "bool") return "boolean";
  return kind === "string" || kind === "dtype" ? "string" : "unknown";
}

/** The names that a function gives to values. */
interface Scope {
  /** Returns what stands for a value. */
  textOf(value: string): string;
  /** Returns a new identifier. */
  name(like: string): string;
  bind(value: string, text: string): void;
}

/** What a graph is in its program. */
export interface Role {
  /** The program, for the graph that it is of. */
  readonly program: Program | null;
  /** The name of the function that computes the graph. */
  readonly name: string;
  /** What the comment of that function says. */
  readonly about: string;
}

/** Writes the functions of one graph, one for each module. */
export class GraphFunctions {
  readonly #file: ModuleFile;
  readonly #graph: Graph;
  readonly #role: Role;
  /** The names of weights by value, and the names of inputs. */
  readonly #weights = new Map<string, string>();
  readonly #inputs: string[] = [];
  /** The nodes that read each value; the graph itself reads its outputs. */
  readonly #readers = new Map<string, (Node | "output")[]>();

  constructor(file: ModuleFile, graph: Graph, role: Role) {
    this.#file = file;
    this.#graph = graph;
    this.#role = role;
    const { program } = role;
    const specs = program?.inputs ?? graph.inputs.map((value) => ({ kind: "user_input", value }) as const);
    for (const spec of specs) {
      if (spec.kind === "user_input" && spec.value !== null) this.#inputs.push(spec.value);
      if (spec.kind === "parameter" || spec.kind === "buffer" || spec.kind === "tensor_constant") {
        this.#weights.set(spec.value, spec.target);
      }
      if (spec.kind === "custom_obj" || spec.kind === "token") file.refuse(`an input that is a ${spec.kind}`);
    }
    const outputs = program?.outputs ?? [];
    const other = outputs.find((spec) => spec.kind !== "user_output" && !isWrite(spec));
    if (other !== undefined) file.refuse(`an output of kind ${other.kind}: it does more than compute`);
    const read = (value: string, by: Node | "output"): void => {
      this.#readers.set(value, [...(this.#readers.get(value) ?? []), by]);
    };
    for (const node of graph.nodes) for (const value of usesOf(node)) read(value, node);
    for (const arg of graph.outputs) if (arg.kind === "value") read(arg.name, "output");
  }

  /** Writes the function that computes the graph, and those that it calls. */
  write(): Fn {
    return this.#function({ ...moduleTree(this.#graph.nodes), path: "" }, this.#role).fn;
  }

  /** Writes the function of a module call unless there is one with the same text; `root` is the whole graph. */
  #function(call: ModuleCall, root?: Role): { readonly fn: Fn; readonly inputs: readonly string[] } {
    const file = this.#file;
    const nodes = new Set(nodesOf(call));
    const defined = new Set([...nodes].flatMap(definitionsOf));
    const isOwnWeight = (value: string): boolean => this.#relativeWeight(value, call.path) !== null;
    const used = [...new Set([...nodes].flatMap(usesOf))].filter((value) => !defined.has(value) && !isOwnWeight(value));
    const inputs = root === undefined ? used : this.#inputs;
    const results = this.#resultsOf(call);
    // Written before this function, whose names must not hide those of functions that it calls.
    const called = new Map(
      call.items.flatMap((item) => ("items" in item ? [[item, this.#function(item)] as const] : [])),
    );
    const graphs = new Map(
      call.items.flatMap((item) => ("items" in item ? [] : [[item, this.#graphsOf(item)] as const])),
    );
    const functions = [...[...called.values()].map(({ fn }) => fn), ...[...graphs.values()].flat()];
    const scope = file.scope(functions.map(({ name }) => name));
    const names = new Map<string, string>();
    const letters = ["x", "y", "z"];
    for (const value of inputs) {
      names.set(value, scope.like(this.#inputs.includes(value) ? value : (letters.shift() ?? "x")));
    }
    let isAsync = false;
    let usesWeights = false;
    const nameOf = (value: string): string => {
      const name = names.get(value);
      if (name !== undefined) return name;
      usesWeights = true;
      return `weights(${stringLiteral(this.#relativeWeight(value, call.path)!)})`;
    };
    const statements: Statement[] = [];
    let last: string | undefined;
    for (const item of call.items) {
      if (!("items" in item)) {
        const made = this.#statement(item, call.path, graphs.get(item)!, {
          textOf: nameOf,
          name: (like) => scope.like(like),
          bind: (value, text) => names.set(value, text),
        });
        if (made === null) continue;
        statements.push({ kind: "text", lines: made.lines });
        isAsync ||= made.isAsync;
        continue;
      }
      const inner = called.get(item)!;
      const args = inner.inputs.map(nameOf);
      isAsync ||= inner.fn.isAsync;
      usesWeights ||= inner.fn.usesWeights;
      const path = call.path === "" ? item.path : item.path.slice(call.path.length + 1);
      const values = this.#resultsOf(item);
      const { name, isAsync: waits, usesWeights: reads } = inner.fn;
      const calls = {
        kind: "calls",
        fn: name,
        ops: [...file.namespaces.values()],
        isAsync: waits,
        paths: [reads ? path : null],
        carries: null,
      } as const;
      const before = statements.at(-1);
      if (before?.kind === "calls" && values.length === 1) {
        const both = joined(before, { ...calls, args, results: values }, this.#isOnlyReader(item, last));
        if (both !== null) {
          statements[statements.length - 1] = both;
          names.set(values[0]!, before.results[0]!);
          last = values[0]!;
          continue;
        }
      }
      last = values[0];
      const made = values.map((value) => {
        const result = scope.like(item.path.split(".").findLast((part) => !/^\d+$/.test(part)) ?? "x");
        names.set(value, result);
        return result;
      });
      statements.push({ ...calls, args, results: made });
    }
    const program = root?.program ?? null;
    const returned = root === undefined ? this.#moduleResults(results, nameOf) : this.#graphResults(nameOf);
    if (program !== null) statements.push(...this.#writesOf(program, nameOf));
    const body = [...statements.flatMap(statementLines).map((line) => `  ${line}`), `  return ${returned.text};`];
    const parameters = withUnusedMarked(
      [
        ...[...file.namespaces.values()].map((space, i) => [space, i === 0 ? "Aten" : "Namespace"] as const),
        ...(usesWeights || program !== null
          ? [["weights", writesWeights(program) ? "State" : "Weights"] as const]
          : []),
        ...inputs.map((value) => [names.get(value)!, this.#typeOf(value)] as const),
      ],
      body.join("\n"),
    );
    const rest = [
      `(${parameters.join(", ")}): ${isAsync ? `Promise<${returned.type}>` : returned.type} {`,
      ...body,
      "}",
      "",
    ].join("\n");
    const module = call.className ?? call.path.split(".").findLast((part) => !/^\d+$/.test(part)) ?? "module";
    const about = `\`${commentText(call.path)}\`${call.className === null ? "" : `, a \`${commentText(call.className)}\``}.`;
    const fn = file.add(rest, root?.about ?? about, () => ({
      name: program === null ? file.names.like(root?.name ?? module) : "forward",
      isAsync,
      usesWeights,
    }));
    return { fn, inputs };
  }

  /** Writes the functions of the graphs that a node calls. */
  #graphsOf(node: Node): readonly Fn[] {
    return graphsOf(node).map(({ name, graph }, at) => {
      const role = graphRole(node, at) ?? this.#refuse(node);
      const about = `${role}: \`${commentText(name)}\`.`;
      return new GraphFunctions(this.#file, graph, { program: null, name, about }).write();
    });
  }

  /** Writes the results of a module's function. */
  #moduleResults(values: readonly string[], nameOf: (value: string) => string): ResultText {
    return resultText(
      null,
      values.map((value) => new ResultText(nameOf(value), this.#typeOf(value))),
    );
  }

  /** Writes the results of the graph. */
  #graphResults(nameOf: (value: string) => string): ResultText {
    const { program } = this.#role;
    const leaves = this.#graph.outputs.flatMap((arg, i) => {
      if (program !== null && program.outputs[i]!.kind !== "user_output") return [];
      const type = arg.kind === "value" ? this.#typeOf(arg.name) : typeOfConstant(arg);
      return new ResultText(argumentText(arg, undefined, nameOf) ?? "null", type);
    });
    return resultText(program, leaves);
  }

  /** Writes the statements that put the new values of weights in their place. */
  #writesOf(program: Program, nameOf: (value: string) => string): readonly Statement[] {
    return program.outputs.flatMap((spec, i) => {
      const arg = this.#graph.outputs[i]!;
      if (!isWrite(spec) || arg.kind !== "value") return [];
      return { kind: "text", lines: [`weights.write(${stringLiteral(spec.target)}, ${nameOf(arg.name)});`] } as const;
    });
  }

  /** Returns the values of a call that are read outside it. */
  #resultsOf(call: ModuleCall): readonly string[] {
    const nodes = new Set(nodesOf(call));
    const defined = [...nodes].flatMap(definitionsOf);
    return defined.filter((value) =>
      this.#readersOf(value).some((reader) => reader === "output" || !nodes.has(reader)),
    );
  }

  /** Whether only the nodes of a call read a value. */
  #isOnlyReader(call: ModuleCall, value: string | undefined): boolean {
    const nodes = new Set(nodesOf(call));
    return value !== undefined && this.#readersOf(value).every((reader) => reader !== "output" && nodes.has(reader));
  }

  #readersOf(value: string): readonly (Node | "output")[] {
    return this.#readers.get(value) ?? [];
  }

  #statement(
    node: Node,
    path: string,
    graphs: readonly Fn[],
    scope: Scope,
  ): { readonly lines: readonly string[]; readonly isAsync: boolean } | null {
    if (ASSUMPTIONS.test(node.op)) return null;
    const written = (name: string): string => argumentText(argOf(node, name)!, undefined, scope.textOf)!;
    if (node.op === "aten::_assert_scalar") {
      return { lines: [`if (!${written("self")}) throw new RangeError(${written("assert_msg")});`], isAsync: false };
    }
    const values = definitionsOf(node);
    const own = node.origin.modulePath ?? "";
    const inside = own.startsWith(path) ? own.slice(path.length) : "";
    const module = inside.split(".").findLast((part) => part !== "" && !/^\d+$/.test(part));
    const like = module ?? splitOpName(node.op).op.replace(/^_+/, "");
    const define = (value: string): string => {
      const made = scope.name(like);
      scope.bind(value, made);
      return made;
    };
    const defineRead = (value: string): string => (this.#readersOf(value).length === 0 ? "" : define(value));
    if (graphs.length > 0) {
      return this.#controlFlow(node, graphs, scope, (all) =>
        values.map((value, k) => (k < all ? define : defineRead)(value)),
      );
    }
    const size = sizeText(node, (at) => argumentText(node.args[at]!.arg, undefined, scope.textOf)!);
    if (size !== undefined) {
      return { lines: [`const ${define(values[0]!)} = ${size.replace(/^\((.*)\)$/, "$1")};`], isAsync: false };
    }
    const record = this.#file.registry.resolve(node.op);
    const namespace = this.#file.namespaces.get(splitOpName(node.op).namespace);
    if (namespace === undefined || record === undefined) {
      this.#refuse(node, "pass the module or the package whose op set defines it with --ops");
    }
    const { text: called, isAsync } = eagerCallText(node, record, {
      namespace,
      overloadOf: this.#file.overloadOf,
      textOf: scope.textOf,
      typeOf: (value) => this.#typeOf(value),
    });
    if (values.every((value) => this.#readersOf(value).length === 0)) return { lines: [`${called};`], isAsync };
    const [first] = node.outputs;
    if (node.outputs.length === 1 && first!.kind === "list") {
      const list = scope.name(like);
      for (const [k, value] of first!.names.entries()) scope.bind(value, `${list}[${k}]!`);
      return { lines: [`const ${list} = ${called};`], isAsync };
    }
    if (node.outputs.length === 1) {
      const type = this.#typeOf(values[0]!);
      return { lines: [`const ${define(values[0]!)} = ${called}${type === "Tensor" ? "" : ` as ${type}`};`], isAsync };
    }
    const items = node.outputs.map((output) => (output.kind === "value" ? defineRead(output.name) : ""));
    return { lines: [`const [${items.join(", ").replace(/(, )+$/, "")}] = ${called};`], isAsync };
  }

  /** Writes a node that calls graphs. */
  #controlFlow(
    node: Node,
    graphs: readonly Fn[],
    scope: Scope,
    define: ControlFlowText["define"],
  ): { readonly lines: readonly string[]; readonly isAsync: boolean } {
    const text: ControlFlowText = {
      graphs,
      ops: [...this.#file.namespaces.values()],
      define,
      name: (like) => scope.name(like),
      operands: (arg) =>
        (arg?.kind === "list" ? arg.items : arg === undefined ? [] : [arg]).map((item) => ({
          text: argumentText(item, undefined, scope.textOf) ?? this.#refuse(node),
          type: item.kind === "value" ? this.#typeOf(item.name) : typeOfConstant(item),
        })),
    };
    const lines = controlFlowLines(node, text);
    return { lines, isAsync: lines.some((line) => line.includes("await ")) };
  }

  /** Returns the name of a weight below a module; null for anything else. */
  #relativeWeight(value: string, path: string): string | null {
    const target = this.#weights.get(value);
    if (target === undefined || path === "") return target ?? null;
    return target.startsWith(`${path}.`) ? target.slice(path.length + 1) : null;
  }

  #typeOf(value: string): string {
    return typeOf(this.#graph, value);
  }

  #refuse(node: Node, advice?: string): never {
    this.#file.refuse(`${node.op}, at ${describeNode(node)}`, advice);
  }
}

function controlFlowLines(node: Node, text: ControlFlowText): readonly string[] {
  switch (node.op) {
    case "higher_order::while_loop":
      return whileLines(node, resultType(graphsOf(node)[0]!.graph), text);
    case "higher_order::scan":
      return scanLines(node, text);
    case "higher_order::map_impl":
      return mapLines(node, text);
    default:
      return condLines(node, text);
  }
}

/** Returns the type of the only result of a graph. */
function resultType(graph: Graph): string {
  const [result] = graph.outputs;
  return result?.kind === "value" ? typeOf(graph, result.name) : "boolean";
}

function typeOf({ values }: Graph, value: string): string {
  const type: ValueType | undefined = values.get(value);
  if (type?.kind === "symint" || type?.kind === "symfloat") return "number";
  return type?.kind === "symbool" ? "boolean" : "Tensor";
}

/** Writes parameters; those that the body does not read begin with `_`, as `noUnusedParameters` of TypeScript asks. */
function withUnusedMarked(parameters: readonly (readonly [name: string, type: string])[], body: string): string[] {
  const words = new Set(body.match(/[\w$]+/g));
  const taken = new Set(parameters.map(([name]) => name));
  return parameters.map(([name, type]) => {
    const isUnused = !words.has(name) && !taken.has(`_${name}`);
    return `${isUnused ? "_" : ""}${name}: ${type}`;
  });
}
