import {
  type Arg,
  argOf,
  definitionsOf,
  type Graph,
  type NamedArg,
  type Node,
  type OpName,
  type Output,
  type Program,
  type TensorType,
  usesOf,
  valuesOf,
} from "@pt2/graph";
import { eliminateDeadCode, GraphBuilder, Substitution } from "@pt2/graph/passes";
import { fixedInputs } from "./fixed-inputs.ts";
import { isFactory, type RewriteTarget } from "./target.ts";

/** What a rule sees of the graph, and how it adds to it. */
export interface RewriteContext {
  readonly target: RewriteTarget;
  /** The node that computes a value, as rewritten so far, unless a handler or an op set claims its op. */
  definition(value: Arg | undefined): Node | undefined;
  /** Whether nothing but the one argument under the rule's eyes reads this value. */
  isReadOnce(value: Arg | undefined): boolean;
  /** Whether a value follows from weights alone, which do not change. */
  isFixed(value: Arg | undefined): boolean;
  /** Type of a value that is a tensor. */
  tensor(value: Arg | undefined): TensorType | undefined;
  /** Appends a node with one result, named after what it is made for. */
  emit(op: OpName, args: NewArgs, type: TensorType | undefined, like: Node): Arg;
}

/**
 * Arguments by schema name. One that the rewritten node lacks, though its op requires it, is undefined: the new node
 * lacks it too, and lowering refuses it.
 */
export type NewArgs = Readonly<Record<string, Arg | undefined>>;

/** What the first result of a node is replaced by, or null where the rule does not apply. */
export type RewriteRule = (node: Node, context: RewriteContext) => Arg | null;

/** Rules by the op of the last node of their pattern. */
export type RewriteRules = ReadonlyMap<OpName, RewriteRule>;

/**
 * Goes once through the root graph, in order, and replaces what rules recognize. What nothing reads any more is
 * removed. The program must be functional. A program in which nothing matches is returned itself.
 */
export function rewrite(program: Program, rules: RewriteRules, target: RewriteTarget): Program {
  if (!program.graph.nodes.some(({ op }) => rules.has(op))) return program;
  const rewriter = new Rewriter(program, target);
  const graph = rewriter.run(rules);
  if (graph === program.graph) return program;
  const isPure = (node: Node): boolean => target.isPure(node);
  return rewriter.withJoined(eliminateDeadCode({ ...program, graph }, { isPure }));
}

class Rewriter implements RewriteContext {
  readonly target: RewriteTarget;
  readonly #graph: Graph;
  readonly #builder: GraphBuilder;
  readonly #replaced = new Substitution();
  readonly #definitions = new Map<string, Node>();
  readonly #reads = new Map<string, number>();
  readonly #fixed: Set<string>;
  /** Nodes that a new one may stand for, by its result: the one that it replaces, and those that the rule looked at. */
  readonly #seen = new Map<string, readonly Node[]>();
  /** Results of nodes that this pass made. */
  readonly #made = new Set<string>();
  #looked: Node[] = [];

  constructor(program: Program, target: RewriteTarget) {
    this.target = target;
    this.#graph = program.graph;
    this.#builder = new GraphBuilder(program.graph);
    this.#fixed = new Set(fixedInputs(program));
    const read = (name: string): void => void this.#reads.set(name, (this.#reads.get(name) ?? 0) + 1);
    for (const node of program.graph.nodes) usesOf(node).forEach(read);
    program.graph.outputs.flatMap(valuesOf).forEach(read);
  }

  run(rules: RewriteRules): Graph {
    for (const original of this.#graph.nodes) {
      const node = this.#replaced.node(original);
      const [output] = node.outputs;
      this.#looked = [];
      const rule = this.target.isClaimed(node.op) || !this.#onlyFirstIsRead(node) ? undefined : rules.get(node.op);
      const result = rule?.(node, this) ?? null;
      if (result === null || output?.kind !== "value") this.#push(node);
      else this.#replace(output.name, result, [...this.#looked, node]);
    }
    if (this.#replaced.size === 0) return this.#graph;
    return this.#builder.build(this.#graph.outputs.map((arg) => this.#replaced.arg(arg)));
  }

  /** The program, its new nodes with the names of those that they stand for: what is left of them is none. */
  withJoined(program: Program): Program {
    const alive = new Set(program.graph.nodes.map(({ name }) => name));
    const joinedIn = (node: Node): Node["origin"]["joined"] => {
      const seen = this.#seen.get(node.name) ?? [];
      const gone = [...new Set(seen)].filter(({ name }) => !alive.has(name));
      const mentions = gone.flatMap((one) => joinedIn(one) ?? one.origin.joined ?? (isMade(one) ? [] : [one]));
      const byName = new Map(mentions.map(({ op, name }) => [name, { op, name }]));
      return byName.size === 0 ? undefined : [...byName.values()];
    };
    const isMade = ({ name }: Node): boolean => this.#made.has(name);
    const nodes = program.graph.nodes.map((node) => {
      const joined = joinedIn(node);
      return joined === undefined ? node : { ...node, origin: { ...node.origin, joined } };
    });
    return { ...program, graph: { ...program.graph, nodes } };
  }

  definition(value: Arg | undefined): Node | undefined {
    const node = value?.kind === "value" ? this.#definitions.get(value.name) : undefined;
    if (node === undefined || this.target.isClaimed(node.op)) return undefined;
    this.#looked.push(node);
    return node;
  }

  isReadOnce(value: Arg | undefined): boolean {
    return value?.kind === "value" && this.#reads.get(value.name) === 1;
  }

  isFixed(value: Arg | undefined): boolean {
    return value?.kind === "value" && this.#fixed.has(value.name);
  }

  tensor(value: Arg | undefined): TensorType | undefined {
    const type = value?.kind === "value" ? this.#builder.typeOf(value.name) : undefined;
    return type?.kind === "tensor" ? type : undefined;
  }

  emit(op: OpName, args: NewArgs, type: TensorType | undefined, like: Node): Arg {
    const name = this.#builder.fresh(baseName(op));
    this.#builder.setType(name, type);
    const named: NamedArg[] = Object.entries(args).flatMap(([key, arg]) =>
      arg === undefined ? [] : [{ name: key, arg }],
    );
    const { joined: _, ...origin } = like.origin;
    this.#push({ name, op, args: named, outputs: [{ kind: "value", name }], origin });
    this.#made.add(name);
    for (const used of named.flatMap(({ arg }) => valuesOf(arg))) {
      this.#reads.set(used, (this.#reads.get(used) ?? 0) + 1);
    }
    return { kind: "value", name };
  }

  #onlyFirstIsRead({ outputs: [first, ...others] }: Node): boolean {
    const isUnread = (output: Output): boolean => output.kind === "value" && !this.#reads.has(output.name);
    return first?.kind === "value" && others.every((output) => output.kind === "none" || isUnread(output));
  }

  #push(node: Node): void {
    this.#builder.push(node);
    const pure = this.target.isPure(node) && !this.target.isClaimed(node.op);
    const used = usesOf(node);
    const fixed = pure && (used.length > 0 ? used.every((name) => this.#fixed.has(name)) : isFactory(node.op));
    for (const name of definitionsOf(node)) {
      this.#definitions.set(name, node);
      if (fixed) this.#fixed.add(name);
    }
  }

  #replace(name: string, result: Arg, seen: readonly Node[]): void {
    this.#replaced.set(name, result);
    if (result.kind === "value") {
      if (this.#made.has(result.name)) this.#seen.set(result.name, [...(this.#seen.get(result.name) ?? []), ...seen]);
      this.#reads.set(result.name, (this.#reads.get(result.name) ?? 0) + (this.#reads.get(name) ?? 0));
    }
  }
}

/** `mkldnn::_convolution_pointwise.binary` names its results `convolution_pointwise`. */
function baseName(op: OpName): string {
  return op
    .slice(op.indexOf("::") + 2)
    .split(".")[0]!
    .replace(/^_+/, "");
}

/** The first of several spellings of an argument that a node has, unless it is None. */
export function given(node: Node, ...names: readonly string[]): Arg | undefined {
  const arg = names.map((name) => argOf(node, name)).find((found) => found !== undefined);
  return arg?.kind === "none" ? undefined : arg;
}

/** The arguments of a node, for one like it. */
export function argsOf({ args }: Node): NewArgs {
  return Object.fromEntries(args.map(({ name, arg }) => [name, arg]));
}
