import {
  type Arg,
  argOf,
  definitionsOf,
  describeNode,
  type Graph,
  type Node,
  type Program,
  splitOpName,
  usesOf,
  type ValueType,
} from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import { cliError } from "../cli-errors.ts";
import { commentText, stringLiteral } from "../declare/quote.ts";
import { argumentText } from "./argument-text.ts";
import { eagerCallText } from "./eager-call-text.ts";
import { Identifiers } from "./identifiers.ts";
import { type ModuleCall, moduleTree, nodesOf } from "./module-tree.ts";
import { ResultText, resultText } from "./result-text.ts";
import { sizeText } from "./size-text.ts";
import { joined, type Statement, statementLines } from "./statement.ts";

/** Names that every function of the file sees. */
const NAMES = [
  "aten",
  "weights",
  "below",
  "readWeights",
  "readTensors",
  "Aten",
  "Tensor",
  "Weights",
  "State",
  "Namespace",
  "i",
];

/** Nodes that tell a compiler what it may assume. */
const ASSUMPTIONS = /^aten::(_assert_tensor_metadata|sym_constrain_range)/;

/** What a generated file begins with; `writes` says that the program writes to buffers. */
function header(namespaces: readonly string[], writes: boolean): string {
  const types = ["Aten", ...(namespaces.length > 0 ? ["Namespace"] : [])];
  const state = `
/** The weights, of which calls write the buffers. */
export interface State extends Weights {
  write(name: string, tensor: Tensor): void;
}
`;
  const returned = `(name${writes ? ": string" : ""}) => {
    const tensor = tensors.get(name);
    if (tensor === undefined) throw new Error(\`The file has no weight \${name}\`);
    return tensor;
  }`;
  return `import type { Backend } from "@pt2/backend";
import type { ${types.join(", ")} } from "@pt2/eager";
import { type ModelSource, readWeights as readTensors, type Tensor } from "@pt2/runtime";

/** Returns a weight by its name below a module. */
export type Weights = (name: string) => Tensor;
${writes ? state : ""}
/** Reads the weights of the program's file, to where the backend computes. */
export async function readWeights(source: ModelSource, backend: Backend): Promise<${writes ? "State" : "Weights"}> {
  const tensors = new Map<string, Tensor>();
  for await (const [name, tensor] of readTensors(source)) {
    tensors.set(name, (await backend.upload?.(tensor)) ?? tensor);
  }
${
  writes
    ? `  const weights = ${returned};
  return Object.assign(weights, { write: (name: string, tensor: Tensor) => void tensors.set(name, tensor) });`
    : `  return ${returned};`
}
}
`;
}

const BELOW = `/** Returns the weights below a module. */
function below(weights: Weights, path: string): Weights {
  return (name) => weights(\`\${path}.\${name}\`);
}
`;

/** Writes a functional program as a TypeScript module of eager calls, with a function for each module of the original. */
export function generateModule(program: Program, registry: OpRegistry): string {
  return new Generator(program, registry).text();
}

/** Returns the type of a result that is the same in every call. */
function typeOfConstant({ kind }: Arg): string {
  if (kind === "int" || kind === "float") return "number";
  if (kind === "bool") return "boolean";
  return kind === "string" || kind === "dtype" ? "string" : "unknown";
}

/** Whether an op that a registry lists is in a namespace. */
function isOf(space: string): (listed: { readonly op: string }) => boolean {
  return ({ op }) => op.startsWith(`${space}::`);
}

interface Fn {
  readonly name: string;
  readonly isAsync: boolean;
  readonly usesWeights: boolean;
}

/** The names that a function gives to values. */
interface Scope {
  /** Returns what stands for a value. */
  textOf(value: string): string;
  /** Returns a new identifier. */
  name(like: string): string;
  bind(value: string, text: string): void;
}

class Generator {
  readonly #program: Program;
  readonly #graph: Graph;
  readonly #registry: OpRegistry;
  readonly #names: Identifiers;
  /** The functions that were written, by their text without the name. */
  readonly #written = new Map<string, Fn>();
  readonly #texts: string[] = [];
  /** The names of weights by value, and of user inputs. */
  readonly #weights = new Map<string, string>();
  readonly #inputs = new Map<string, string>();
  /** The nodes that read each value; the program itself reads its outputs. */
  readonly #readers = new Map<string, (Node | "output")[]>();
  /** The namespaces beside `aten`; every function takes them, with `aten`. */
  readonly #namespaces: readonly string[];
  readonly #writes: boolean;

  constructor(program: Program, registry: OpRegistry) {
    this.#program = program;
    this.#graph = program.graph;
    this.#registry = registry;
    for (const spec of program.inputs) {
      if (spec.kind === "user_input" && spec.value !== null) this.#inputs.set(spec.value, spec.value);
      if (spec.kind === "parameter" || spec.kind === "buffer" || spec.kind === "tensor_constant") {
        this.#weights.set(spec.value, spec.target);
      }
      if (spec.kind === "custom_obj" || spec.kind === "token") this.#refuse(`an input that is a ${spec.kind}`);
    }
    const other = program.outputs.find(({ kind }) => kind !== "user_output" && kind !== "buffer_mutation");
    if (other !== undefined) this.#refuse(`an output of kind ${other.kind}: it does more than compute`);
    this.#writes = program.outputs.some(({ kind }) => kind === "buffer_mutation");
    const spaces = this.#graph.nodes.map(({ op }) => splitOpName(op).namespace);
    this.#namespaces = [...new Set(spaces)].filter((space) => registry.list().some(isOf(space)) && space !== "aten");
    const unfit = this.#namespaces.find((space) => new Identifiers(NAMES).like(space) !== space);
    if (unfit !== undefined) this.#refuse(`ops of the namespace ${unfit}, which cannot be a parameter`);
    this.#names = new Identifiers([...NAMES, ...this.#namespaces, "forward"]);
    const read = (value: string, by: Node | "output"): void => {
      this.#readers.set(value, [...(this.#readers.get(value) ?? []), by]);
    };
    for (const node of this.#graph.nodes) for (const value of usesOf(node)) read(value, node);
    for (const arg of this.#graph.outputs) if (arg.kind === "value") read(arg.name, "output");
  }

  text(): string {
    this.#function({ ...moduleTree(this.#graph.nodes), path: "" }, "forward");
    const torch = this.#program.torchVersion;
    const functions = this.#texts.join("\n");
    return `// Written by \`pt2 codegen\` from a program of PyTorch ${commentText(torch)}: eager calls, which run on any backend.
${[header(this.#namespaces, this.#writes), ...(functions.includes("below(") ? [BELOW] : []), functions].join("\n")}`;
  }

  /** Writes the function of a module call unless there is one with the same text. */
  #function(call: ModuleCall, fixed?: string): { readonly fn: Fn; readonly inputs: readonly string[] } {
    const nodes = new Set(nodesOf(call));
    const defined = new Set([...nodes].flatMap(definitionsOf));
    const isOwnWeight = (value: string): boolean => this.#relativeWeight(value, call.path) !== null;
    const used = [...new Set([...nodes].flatMap(usesOf))].filter((value) => !defined.has(value) && !isOwnWeight(value));
    const inputs = fixed === undefined ? used : [...this.#inputs.keys()];
    const results = fixed === undefined ? this.#resultsOf(call) : [];
    // A name of this function must not hide a function that it calls.
    const called = new Map(
      call.items.flatMap((item) => ("items" in item ? [[item, this.#function(item)] as const] : [])),
    );
    const scope = new Identifiers([...NAMES, ...this.#namespaces, ...[...called.values()].map(({ fn }) => fn.name)]);
    const names = new Map<string, string>();
    const letters = ["x", "y", "z"];
    for (const value of inputs) names.set(value, scope.like(this.#inputs.get(value) ?? letters.shift() ?? "x"));
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
        const made = this.#statement(item, call.path, {
          textOf: nameOf,
          name: (like) => scope.like(like),
          bind: (value, text) => names.set(value, text),
        });
        if (made === null) continue;
        statements.push({ kind: "text", text: made.text });
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
      const ops = ["aten", ...this.#namespaces];
      const calls = {
        kind: "calls",
        fn: name,
        ops,
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
      const results = values.map((value) => {
        const made = scope.like(item.path.split(".").findLast((part) => !/^\d+$/.test(part)) ?? "x");
        names.set(value, made);
        return made;
      });
      statements.push({ ...calls, args, results });
    }
    const returned = fixed === undefined ? this.#inner(results, nameOf) : this.#outer(nameOf);
    if (fixed !== undefined) statements.push(...this.#writesOf(nameOf));
    const parameters = [
      ...["aten: Aten", ...this.#namespaces.map((space) => `${space}: Namespace`)],
      ...(usesWeights || fixed !== undefined
        ? [`weights: ${fixed !== undefined && this.#writes ? "State" : "Weights"}`]
        : []),
      ...inputs.map((value) => `${names.get(value)}: ${this.#typeOf(value)}`),
    ];
    const body = statements.flatMap(statementLines);
    const rest = [
      `(${parameters.join(", ")}): ${isAsync ? `Promise<${returned.type}>` : returned.type} {`,
      ...body.map((line) => `  ${line}`),
      `  return ${returned.text};`,
      "}",
      "",
    ].join("\n");
    const known = fixed === undefined ? this.#written.get(rest) : undefined;
    if (known !== undefined) return { fn: known, inputs };
    const like = call.className ?? call.path.split(".").findLast((part) => !/^\d+$/.test(part)) ?? "module";
    const fn: Fn = { name: fixed ?? this.#names.like(like), isAsync, usesWeights };
    const about =
      fixed === undefined
        ? `\`${commentText(call.path)}\`${call.className === null ? "" : `, a \`${commentText(call.className)}\``}.`
        : "The program.";
    const prefix = `${fixed === undefined ? "" : "export "}${isAsync ? "async " : ""}function ${fn.name}`;
    this.#texts.push(`/** ${about} */\n${prefix}${rest}`);
    this.#written.set(rest, fn);
    return { fn, inputs };
  }

  /** Writes the results of a module's function. */
  #inner(values: readonly string[], nameOf: (value: string) => string): ResultText {
    const leaves = values.map((value) => new ResultText(nameOf(value), this.#typeOf(value)));
    return resultText({ ...this.#program, outSpec: null }, leaves);
  }

  /** Writes the results of the program. */
  #outer(nameOf: (value: string) => string): ResultText {
    const leaves = this.#graph.outputs.flatMap((arg, i) => {
      if (this.#program.outputs[i]!.kind !== "user_output") return [];
      const type = arg.kind === "value" ? this.#typeOf(arg.name) : typeOfConstant(arg);
      return new ResultText(argumentText(arg, undefined, nameOf) ?? "null", type);
    });
    return resultText(this.#program, leaves);
  }

  /** Writes the statements that put the new values of buffers in their place. */
  #writesOf(nameOf: (value: string) => string): readonly Statement[] {
    return this.#program.outputs.flatMap((spec, i) => {
      const arg = this.#graph.outputs[i]!;
      if (spec.kind !== "buffer_mutation" || arg.kind !== "value") return [];
      return { kind: "text", text: `weights.write(${stringLiteral(spec.target)}, ${nameOf(arg.name)});` } as const;
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

  #statement(node: Node, path: string, scope: Scope): { readonly text: string; readonly isAsync: boolean } | null {
    if (ASSUMPTIONS.test(node.op)) return null;
    const written = (name: string): string => argumentText(argOf(node, name)!, undefined, scope.textOf)!;
    if (node.op === "aten::_assert_scalar") {
      return { text: `if (!${written("self")}) throw new RangeError(${written("assert_msg")});`, isAsync: false };
    }
    const values = definitionsOf(node);
    const own = node.origin.modulePath ?? "";
    const inside = own.startsWith(path) ? own.slice(path.length) : "";
    const module = inside.split(".").findLast((part) => part !== "" && !/^\d+$/.test(part));
    const like = module ?? splitOpName(node.op).op.replace(/^_+/, "");
    const size = sizeText(node, (at) => argumentText(node.args[at]!.arg, undefined, scope.textOf)!);
    const define = (value: string): string => {
      if (this.#readersOf(value).length === 0) return "";
      const made = scope.name(like);
      scope.bind(value, made);
      return made;
    };
    if (size !== undefined) {
      return { text: `const ${define(values[0]!)} = ${size.replace(/^\((.*)\)$/, "$1")};`, isAsync: false };
    }
    const record = this.#registry.resolve(node.op);
    const { namespace } = splitOpName(node.op);
    if (!["aten", ...this.#namespaces].includes(namespace) || record === undefined)
      this.#refuse(`${node.op}, at ${describeNode(node)}`);
    const { text: called, isAsync } = eagerCallText(node, record, scope.textOf);
    if (values.every((value) => this.#readersOf(value).length === 0)) return { text: `${called};`, isAsync };
    const [first] = node.outputs;
    if (node.outputs.length === 1 && first!.kind === "list") {
      const list = scope.name(like);
      for (const [k, value] of first!.names.entries()) scope.bind(value, `${list}[${k}]!`);
      return { text: `const ${list} = ${called};`, isAsync };
    }
    if (node.outputs.length === 1) {
      const type = this.#typeOf(values[0]!);
      return { text: `const ${define(values[0]!)} = ${called}${type === "Tensor" ? "" : ` as ${type}`};`, isAsync };
    }
    const items = node.outputs.map((output) => (output.kind === "value" ? define(output.name) : ""));
    return { text: `const [${items.join(", ").replace(/(, )+$/, "")}] = ${called};`, isAsync };
  }

  /** Returns the name of a weight below a module; null for anything else. */
  #relativeWeight(value: string, path: string): string | null {
    const target = this.#weights.get(value);
    if (target === undefined || path === "") return target ?? null;
    return target.startsWith(`${path}.`) ? target.slice(path.length + 1) : null;
  }

  #typeOf(value: string): string {
    const type: ValueType | undefined = this.#graph.values.get(value);
    if (type?.kind === "symint" || type?.kind === "symfloat") return "number";
    return type?.kind === "symbool" ? "boolean" : "Tensor";
  }

  #refuse(what: string): never {
    throw cliError("cli.codegen", {
      what: `The program has ${what}, which cannot be written as eager calls`,
      advice: "run it with `load` of @pt2/runtime",
    });
  }
}
