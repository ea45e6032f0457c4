import {
  type Arg,
  argOf,
  definitionsOf,
  describeNode,
  type Graph,
  graphsOf,
  isStateMutation,
  type Node,
  type Program,
  splitOpName,
  usesOf,
  type ValueType,
} from "@pt2/graph";
import { commentText, stringLiteral } from "../declare/quote.ts";
import { argumentText } from "./argument-text.ts";
import { type ControlFlowText, condLines, graphRole, mapLines, scanLines, whileLines } from "./control-flow.ts";
import { eagerCallText } from "./eager-call-text.ts";
import { FunctionBody } from "./function-body.ts";
import { inputChecks } from "./input-checks.ts";
import type { Fn, ModuleFile } from "./module-file.ts";
import { type ModuleCall, moduleTree, nodesOf } from "./module-tree.ts";
import { ResultText, resultText } from "./result-text.ts";
import { sizeText } from "./size-text.ts";

/** Nodes that tell a compiler what it may assume. */
const ASSUMPTIONS = /^aten::(_assert_tensor_metadata|sym_constrain_range)/;

/** Whether calls of a program write to its buffers or parameters. */
export function writesWeights(program: Program | null): boolean {
  return program?.outputs.some(isStateMutation) === true;
}

/** Returns the type of a result that is the same in every call. */
function typeOfConstant({ kind }: Arg): string {
  if (kind === "int" || kind === "float") return "number";
  if (kind === "bool") return "boolean";
  return kind === "string" || kind === "dtype" ? "string" : "unknown";
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
    const other = outputs.find((spec) => spec.kind !== "user_output" && !isStateMutation(spec));
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
    // Written before this function, whose names must not hide those of functions that it calls.
    const called = new Map(
      call.items.flatMap((item) => ("items" in item ? [[item, this.#function(item)] as const] : [])),
    );
    const graphs = new Map(
      call.items.flatMap((item) => ("items" in item ? [] : [[item, this.#graphsOf(item)] as const])),
    );
    const functions = [...[...called.values()].map(({ fn }) => fn), ...[...graphs.values()].flat()];
    const body = new FunctionBody(
      file.scope(functions.map(({ name }) => name)),
      (value) => this.#relativeWeight(value, call.path)!,
    );
    const letters = ["x", "y", "z"];
    const parameters = inputs.map(
      (value) =>
        [
          body.define(value, this.#inputs.includes(value) ? value : (letters.shift() ?? "x")),
          this.#typeOf(value),
        ] as const,
    );
    if (root?.program != null) body.add(inputChecks(root.program, body.textOf));
    for (const item of call.items) {
      if (!("items" in item)) {
        this.#statement(item, call.path, graphs.get(item)!, body);
        continue;
      }
      body.call({
        ...called.get(item)!,
        ops: [...file.namespaces.values()],
        path: call.path === "" ? item.path : item.path.slice(call.path.length + 1),
        results: this.#resultsOf(item),
        like: moduleName(item.path) ?? "x",
        isOnlyReader: (value) => this.#isOnlyReader(item, value),
      });
    }
    return { fn: this.#add(call, root, body, parameters), inputs };
  }

  /** Adds the function with a body to the file. */
  #add(
    call: ModuleCall,
    root: Role | undefined,
    body: FunctionBody,
    values: readonly (readonly [name: string, type: string])[],
  ): Fn {
    const file = this.#file;
    const program = root?.program ?? null;
    const returned = root === undefined ? this.#moduleResults(this.#resultsOf(call), body) : this.#graphResults(body);
    if (program !== null) body.add(this.#writesOf(program, body));
    const { isAsync, usesWeights } = body;
    const lines = [...body.lines.map((line) => `  ${line}`), `  return ${returned.text};`];
    const takesWeights = usesWeights || program !== null;
    const parameters = withUnusedMarked(
      [
        ...[...file.namespaces.values()].map((space, i) => [space, i === 0 ? "Aten" : "Namespace"] as const),
        ...(takesWeights ? [["weights", writesWeights(program) ? "State" : "Weights"] as const] : []),
        ...values,
      ],
      lines.join("\n"),
    );
    const type = isAsync ? `Promise<${returned.type}>` : returned.type;
    const rest = [`(${parameters.join(", ")}): ${type} {`, ...lines, "}", ""].join("\n");
    const about = `\`${commentText(call.path)}\`${call.className === null ? "" : `, a \`${commentText(call.className)}\``}.`;
    return file.add(rest, root?.about ?? about, () => ({
      name:
        program === null
          ? file.names.like(root?.name ?? call.className ?? moduleName(call.path) ?? "module")
          : "forward",
      isAsync,
      usesWeights,
    }));
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
  #moduleResults(values: readonly string[], body: FunctionBody): ResultText {
    return resultText(
      null,
      values.map((value) => new ResultText(body.textOf(value), this.#typeOf(value))),
    );
  }

  /** Writes the results of the graph. */
  #graphResults(body: FunctionBody): ResultText {
    const { program } = this.#role;
    const leaves = this.#graph.outputs.flatMap((arg, i) => {
      if (program !== null && program.outputs[i]!.kind !== "user_output") return [];
      const type = arg.kind === "value" ? this.#typeOf(arg.name) : typeOfConstant(arg);
      return new ResultText(argumentText(arg, undefined, body.textOf) ?? "null", type);
    });
    return resultText(program, leaves);
  }

  /** Writes the lines that put the new values of weights in their place. */
  #writesOf(program: Program, body: FunctionBody): readonly string[] {
    return program.outputs.flatMap((spec, i) => {
      const arg = this.#graph.outputs[i]!;
      if (!isStateMutation(spec) || arg.kind !== "value") return [];
      return `weights.write(${stringLiteral(spec.target)}, ${body.textOf(arg.name)});`;
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
  #isOnlyReader(call: ModuleCall, value: string): boolean {
    const nodes = new Set(nodesOf(call));
    return this.#readersOf(value).every((reader) => reader !== "output" && nodes.has(reader));
  }

  #readersOf(value: string): readonly (Node | "output")[] {
    return this.#readers.get(value) ?? [];
  }

  /** Writes a node of a module, which calls the functions of these graphs. */
  #statement(node: Node, path: string, graphs: readonly Fn[], body: FunctionBody): void {
    if (ASSUMPTIONS.test(node.op)) return;
    const { textOf } = body;
    const written = (name: string): string => argumentText(argOf(node, name)!, undefined, textOf)!;
    if (node.op === "aten::_assert_scalar") {
      body.add([`if (!${written("self")}) throw new RangeError(${written("assert_msg")});`]);
      return;
    }
    const values = definitionsOf(node);
    const own = node.origin.modulePath ?? "";
    const inside = own.startsWith(path) ? own.slice(path.length) : "";
    const like = moduleName(inside) ?? splitOpName(node.op).op.replace(/^_+/, "");
    const define = (value: string): string => body.define(value, like);
    const defineRead = (value: string): string => (this.#readersOf(value).length === 0 ? "" : define(value));
    if (graphs.length > 0) {
      this.#controlFlow(node, graphs, body, (all) => values.map((value, k) => (k < all ? define : defineRead)(value)));
      return;
    }
    const size = sizeText(node, {
      text: (at) => argumentText(node.args[at]!.arg, undefined, textOf)!,
      isBoolean: (at) => this.#isBoolean(node.args[at]?.arg),
    });
    if (size !== undefined) {
      body.add([`const ${define(values[0]!)} = ${size.replace(/^\((.*)\)$/, "$1")};`]);
      return;
    }
    const record = this.#file.registry.resolve(node.op);
    const namespace = this.#file.namespaces.get(splitOpName(node.op).namespace);
    if (namespace === undefined || record === undefined) {
      this.#refuse(node, "pass the module or the package whose op set defines it with --ops");
    }
    const { text: called, isAsync } = eagerCallText(node, record, {
      namespace,
      overloadOf: this.#file.overloadOf,
      textOf,
      typeOf: (value) => this.#typeOf(value),
    });
    body.add([this.#declared(node, called, body, like)], isAsync);
  }

  /** Writes a call with the declaration of those of its results that are read. */
  #declared(node: Node, called: string, body: FunctionBody, like: string): string {
    const values = definitionsOf(node);
    const isRead = (value: string): boolean => this.#readersOf(value).length > 0;
    if (!values.some(isRead)) return `${called};`;
    const [first, ...others] = node.outputs;
    if (others.length > 0) {
      const items = node.outputs.map((output) =>
        output.kind === "value" && isRead(output.name) ? body.define(output.name, like) : "",
      );
      return `const [${items.join(", ").replace(/(, )+$/, "")}] = ${called};`;
    }
    if (first!.kind === "list") {
      const list = body.name(like);
      for (const [k, value] of first!.names.entries()) body.bind(value, `${list}[${k}]!`);
      return `const ${list} = ${called};`;
    }
    const type = this.#typeOf(values[0]!);
    return `const ${body.define(values[0]!, like)} = ${called}${type === "Tensor" ? "" : ` as ${type}`};`;
  }

  /** Writes a node that calls graphs. */
  #controlFlow(node: Node, graphs: readonly Fn[], body: FunctionBody, define: ControlFlowText["define"]): void {
    const lines = controlFlowLines(node, {
      graphs,
      ops: [...this.#file.namespaces.values()],
      define,
      name: (like) => body.name(like),
      operands: (arg) =>
        (arg?.kind === "list" ? arg.items : arg === undefined ? [] : [arg]).map((item) => ({
          text: argumentText(item, undefined, body.textOf) ?? this.#refuse(node),
          type: item.kind === "value" ? this.#typeOf(item.name) : typeOfConstant(item),
        })),
    });
    body.add(
      lines,
      lines.some((line) => line.includes("await ")),
    );
  }

  /** Returns the name of a weight below a module; null for anything else. */
  #relativeWeight(value: string, path: string): string | null {
    const target = this.#weights.get(value);
    if (target === undefined || path === "") return target ?? null;
    return target.startsWith(`${path}.`) ? target.slice(path.length + 1) : null;
  }

  #isBoolean(arg: Arg | undefined): boolean {
    return arg?.kind === "bool" || (arg?.kind === "value" && this.#typeOf(arg.name) === "boolean");
  }

  #typeOf(value: string): string {
    return typeOf(this.#graph, value);
  }

  #refuse(node: Node, advice?: string): never {
    this.#file.refuse(`${node.op}, at ${describeNode(node)}`, advice);
  }
}

/** Returns the name of a module by its path: the last part that is not a number. */
function moduleName(path: string): string | undefined {
  return path.split(".").findLast((part) => part !== "" && !/^\d+$/.test(part));
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
