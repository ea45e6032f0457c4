import { type Graph, type OpName, usesOf } from "@pt2/graph";
import type { OpRegistry } from "../op-registry.ts";
import type { ArgValue } from "../tensor-meta.ts";
import type { Environment } from "./arguments.ts";
import type { Call, LoweredNode } from "./call.ts";
import { type LoweredTensor, tensorsIn } from "./lowered-tensor.ts";
import { kindOf, NodeClasses } from "./node-classes.ts";
import { isRuntimeScalar } from "./runtime-scalar.ts";

/** What the nodes of a graph came to for certain inputs: what it is lowered again from, for others. */
export class LoweredGraph {
  readonly graph: Graph;
  readonly nodes: readonly LoweredNode[];
  /** The values of all names. */
  readonly env: ReadonlyMap<string, ArgValue>;
  /** The names that were given. */
  readonly inputs: readonly string[];
  readonly #calls = new Map<Call, readonly [node: number, index: number]>();
  /** What is known of inputs, and of all values: their kinds, for the inputs that did not agree about them. */
  readonly #inputs: Map<string, string>;
  readonly #kinds: Map<string, string>;
  readonly #names = new Map<LoweredTensor, string>();
  #loose: NodeClasses | undefined;
  #strict: NodeClasses | undefined;
  #needsStrict = false;
  #ofUsers: Uint8Array | undefined;

  constructor(
    graph: Graph,
    nodes: readonly LoweredNode[],
    env: ReadonlyMap<string, ArgValue>,
    inputs: readonly string[],
  ) {
    this.graph = graph;
    this.nodes = nodes;
    this.env = env;
    this.inputs = inputs;
    for (const [at, { calls }] of nodes.entries()) {
      for (const [index, call] of calls.entries()) this.#calls.set(call, [at, index]);
    }
    this.#kinds = new Map([...env].map(([name, value]) => [name, kindOf(value, name)]));
    this.#inputs = this.#kindsOfInputs();
    for (const [name, value] of env) for (const tensor of tensorsIn(value)) this.#names.set(tensor, name);
  }

  /** Returns the position of the node that a call belongs to, and that of the call among those of the node. */
  placeOf(call: Call): readonly [node: number, index: number] {
    return this.#calls.get(call)!;
  }

  /** Returns the name of the value that a tensor is, or is part of. */
  nameOf(tensor: LoweredTensor): string | undefined {
    return this.#names.get(tensor);
  }

  /**
   * Returns the classes of nodes for these inputs; those that are not given are as they were. Loose ones take values to be alike whose kinds have always been: it has
   * to be verified that they are for these inputs. Strict ones take only values to be alike that are made alike, of inputs
   * that are.
   */
  classesFor(inputs: Environment, registry: OpRegistry, isStrict: boolean): NodeClasses {
    const isAlone = (node: LoweredNode): boolean => this.#isAlone(node, registry);
    if (!isStrict) {
      const classOf = (name: string): string => this.#kinds.get(name)!;
      this.#loose ??= new NodeClasses(this.nodes, { inputs: this.#kindsOfInputs(), classOf, isAlone });
      return this.#loose;
    }
    const changed = this.inputs.filter((name) => (inputs.get(name) ?? this.env.get(name)) !== this.env.get(name));
    const kinds = new Map(changed.map((name) => [name, kindOf(inputs.get(name)!, name)]));
    if (this.#strict === undefined || !areAlike(this.#strict, kinds)) {
      for (const name of this.inputs) this.#inputs.set(name, `${this.#inputs.get(name)}; ${kinds.get(name) ?? ""}`);
      this.#strict = new NodeClasses(this.nodes, { inputs: this.#inputs, classOf: null, isAlone });
    }
    return this.#strict;
  }

  /** Tells by position which nodes call functions of users, of the registry that the graph was lowered with. */
  ofUsers(registry: OpRegistry): Uint8Array {
    this.#ofUsers ??= Uint8Array.from(this.nodes, ({ node }) => (isOfUser(node.op, registry) ? 1 : 0));
    return this.#ofUsers;
  }

  /** Whether it is known that loose classes do not do. */
  get needsStrict(): boolean {
    return this.#needsStrict;
  }

  /** Tells values apart whose kinds differ for inputs for which loose classes did not do, and strict ones did. */
  tellApart(valueNow: (name: string) => ArgValue | undefined): void {
    const count = new Set(this.#kinds.values()).size;
    for (const [name, kind] of this.#kinds) this.#kinds.set(name, `${kind}; ${kindOf(valueNow(name) ?? null, name)}`);
    this.#loose = undefined;
    if (new Set(this.#kinds.values()).size === count) this.#needsStrict = true;
  }

  #kindsOfInputs(): Map<string, string> {
    return new Map(this.inputs.map((name) => [name, this.#kinds.get(name)!]));
  }

  /** Whether a node has to be looked at by itself: a user's, or one that reads or makes a number that each run sets. */
  #isAlone({ node, results }: LoweredNode, registry: OpRegistry): boolean {
    if (isOfUser(node.op, registry)) return true;
    const read = usesOf(node).map((name) => this.env.get(name));
    return [...results, ...read].some((value) => tensorsIn(value).some(isRuntimeScalar));
  }
}

/** Whether a user defines what an op does. */
export function isOfUser(op: OpName, registry: OpRegistry): boolean {
  return registry.userSetOf(op) !== undefined || registry.handlerOf(op) !== undefined;
}

/** Whether inputs of one class are of one kind: these, which differ, and all others, which are as they were. */
function areAlike(classes: NodeClasses, changed: ReadonlyMap<string, string>): boolean {
  for (const [name, kind] of changed) {
    if (classes.sourcesLike(name).some((other) => changed.get(other) !== kind)) return false;
  }
  return true;
}
