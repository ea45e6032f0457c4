import { sameShape } from "@pt2/format";
import type { Graph, Node } from "@pt2/graph";
import { NotLoaded } from "../not-loaded.ts";
import type { ArgValue } from "../tensor-meta.ts";
import type { Environment } from "./arguments.ts";
import { bind, outputsOf } from "./bind.ts";
import type { Call, LoweredNode } from "./call.ts";
import { lowerAgain } from "./call-again.ts";
import { Emitter } from "./emit.ts";
import { isOfUser, type LoweredGraph } from "./lowered-graph.ts";
import { isTensor, type LoweredTensor, tensorsIn } from "./lowered-tensor.ts";
import type { Lowering, LowerOptions } from "./lowering.ts";
import type { NodeClasses } from "./node-classes.ts";
import { RuntimeScalars } from "./runtime-scalar.ts";
import { isSame, SameCalls } from "./same-calls.ts";

/** How a stage ends for other inputs than it was lowered for. */
export interface RepeatedStage {
  readonly end: { readonly kind: "return"; readonly outputs: readonly ArgValue[] };
  readonly numbers: RuntimeScalars;
}

/** How the nodes of a graph are lowered again. */
export interface RepetitionOptions {
  readonly options: LowerOptions;
  /** Returns what a node comes to now, with calls of its own; null if it is a graph break now. */
  readonly lowerNode: (
    node: Node,
    graph: Graph,
    env: Environment,
    lowering: Lowering,
  ) => Promise<Pick<LoweredNode, "calls" | "results"> | null>;
  /** Whether values are alike only if they are made alike. */
  readonly isStrict: boolean;
}

/**
 * A graph for other inputs than it was lowered for. Only nodes that read a value that differs are lowered again, and of
 * these only the first of each class: the values of the others follow. The calls are the previous ones in other sizes.
 */
export class Repetition {
  readonly classes: NodeClasses;
  /** Whether values are alike only if they are made alike. */
  readonly isStrict: boolean;
  readonly #before: LoweredGraph;
  readonly #given: ReadonlyMap<string, ArgValue>;
  readonly #lowering: Lowering;
  readonly #lowerNode: RepetitionOptions["lowerNode"];
  readonly #same = new SameCalls();
  /** Whether the nodes of a class differ, by the position of its first node. */
  readonly #differs: Uint8Array;
  /** Values that differ. */
  readonly #values = new Map<string, ArgValue>();
  /** The names of inputs and of what first nodes make among these. */
  readonly #changed = new Set<string>();
  readonly #lowered = new Map<number, readonly Call[]>();

  private constructor(
    before: LoweredGraph,
    inputs: ReadonlyMap<string, ArgValue>,
    { options, lowerNode, isStrict }: RepetitionOptions,
  ) {
    const { registry, target } = options;
    this.#lowerNode = lowerNode;
    this.#before = before;
    this.#given = inputs;
    this.isStrict = isStrict;
    this.classes = before.classesFor(inputs, registry, isStrict);
    const numbers = new RuntimeScalars();
    this.#lowering = { emitter: new Emitter(registry, target, numbers), numbers, options };
    // Functions of users may answer differently, and are checked against symbolic sizes.
    this.#differs = before.ofUsers(registry).slice();
  }

  /**
   * Lowers a graph again; inputs that are not given are as they were. Returns null if that takes other calls, or calls that read other results, or where values of one
   * class are of different kinds, which those of strict classes are not.
   */
  static async of(
    before: LoweredGraph,
    inputs: ReadonlyMap<string, ArgValue>,
    options: RepetitionOptions,
  ): Promise<Repetition | null> {
    const again = new Repetition(before, inputs, options);
    if (!again.#takeInputs()) return null;
    try {
      return (await again.#lowerFirsts()) && again.#areClassesAlike() ? again : null;
    } catch (error) {
      // The kind of a value may have been taken from one that is not alike.
      if (again.#areClassesAlike()) throw error;
      return null;
    }
  }

  /** Lets the graph tell values apart that are of different kinds now. */
  tellApart(): void {
    this.#before.tellApart((name) => this.#valueOf(name));
  }

  /** Whether a call is not the previous one. */
  differs(call: Call): boolean {
    const [at] = this.#before.placeOf(call);
    return this.#differs[this.classes.first[at]!] === 1;
  }

  /** Returns the call of the first node that does the same as the node of this one; both are previous calls. */
  firstOf(call: Call): Call {
    const [at, index] = this.#before.placeOf(call);
    return this.#before.nodes[this.classes.first[at]!]!.calls[index]!;
  }

  /** Returns what a previous call has become, which is the same call where it does not differ. */
  async callFor(call: Call): Promise<Call | null> {
    if (!this.differs(call)) return call;
    const [at, index] = this.#before.placeOf(call);
    const calls = this.#lowered.get(at) ?? (await this.#lower(at))?.calls;
    return calls?.[index] ?? null;
  }

  /** Returns the class of the value that a previous tensor is; undefined for one inside a node. */
  kindOf(tensor: LoweredTensor): string | undefined {
    const name = this.#before.nameOf(tensor);
    return name === undefined ? undefined : this.classes.classOf(name);
  }

  /** Returns the previous tensor that a tensor stands for. */
  originOf(tensor: LoweredTensor): LoweredTensor {
    return this.#same.originOf(tensor);
  }

  /** Returns what a previous tensor is now, if it is an input or a number that a node makes. */
  inputFor(tensor: LoweredTensor): LoweredTensor | undefined {
    return this.#same.nowOf(tensor);
  }

  /** How the stage ends now. */
  get stage(): RepeatedStage {
    const outputs = outputsOf(this.#before.graph, this.#environment);
    return { end: { kind: "return", outputs }, numbers: this.#lowering.numbers };
  }

  get #environment(): Environment {
    return { get: (name) => this.#valueOf(name) };
  }

  #takeInputs(): boolean {
    for (const [name, now] of this.#given) {
      const known = this.#before.env.get(name)!;
      if (now === known) continue;
      const tensors = tensorsIn(now);
      const earlier = tensorsIn(known);
      if (tensors.length !== earlier.length) return false;
      for (const [i, tensor] of tensors.entries()) {
        if (tensor.dtype !== earlier[i]!.dtype) return false;
        this.#same.identify(earlier[i]!, tensor);
      }
      if (!isSame(now, known)) this.#set(name, now);
    }
    return true;
  }

  async #lowerFirsts(): Promise<boolean> {
    for (const at of this.classes.firsts) {
      if (this.#differs[at] === 0) continue;
      const lowered = await this.#lower(at);
      if (lowered === null) return false;
      const values = new Map<string, ArgValue>();
      const { node } = this.#before.nodes[at]!;
      bind(node, lowered.results, values);
      for (const [name, value] of values) {
        if (!isAlike(value, this.#before.env.get(name)!)) this.#set(name, value);
      }
    }
    return true;
  }

  /** Whether values of one class are of one kind. Those that have not been set are of the previous kind. */
  #areClassesAlike(): boolean {
    const seen = new Set<string>();
    for (const name of this.#changed) {
      const value = this.classes.classOf(name)!;
      if (seen.has(value)) continue;
      seen.add(value);
      const known = this.#values.get(name)!;
      const isLike = (other: string): boolean => {
        return other === name || (this.#changed.has(other) && isAlike(this.#values.get(other)!, known));
      };
      if (!this.classes.sourcesLike(name).every(isLike)) return false;
    }
    return true;
  }

  #set(name: string, value: ArgValue): void {
    this.#changed.add(name);
    this.#values.set(name, value);
    for (const at of this.classes.readersOf(name)) this.#differs[at] = 1;
  }

  /** Lowers a node; null if it comes to other calls. */
  async #lower(at: number): Promise<Pick<LoweredNode, "calls" | "results"> | null> {
    const known = this.#before.nodes[at]!;
    const lowered = this.#lowerAgain(known) ?? (await this.#lowerFromNode(known));
    if (lowered === null || !this.#same.match(known, lowered)) return null;
    this.#lowered.set(at, lowered.calls);
    return lowered;
  }

  /** Lowers a node from its previous call; null where that does not do, or takes code that is not loaded. */
  #lowerAgain(known: LoweredNode): Pick<LoweredNode, "calls" | "results"> | null {
    if (isOfUser(known.node.op, this.#lowering.options.registry)) return null;
    try {
      return lowerAgain(known, this.#environment, this.#lowering);
    } catch (error) {
      if (error instanceof NotLoaded) return null;
      throw error;
    }
  }

  #lowerFromNode({ node }: LoweredNode): ReturnType<RepetitionOptions["lowerNode"]> {
    return this.#lowerNode(node, this.#before.graph, this.#environment, this.#lowering);
  }

  #valueOf(name: string): ArgValue | undefined {
    const own = this.#values.get(name);
    if (own !== undefined) return own;
    const before = this.#before.env.get(name);
    const first = this.classes.likeOf(name);
    const like = first === undefined ? undefined : this.#values.get(first);
    if (like === undefined || before === undefined) return before;
    const value = this.#like(like, before);
    this.#values.set(name, value);
    return value;
  }

  /** Returns the value of a name for the value that one of its class has. */
  #like(value: ArgValue, before: ArgValue): ArgValue {
    if (Array.isArray(value)) {
      return (value as readonly ArgValue[]).map((item, i) => this.#like(item, (before as readonly ArgValue[])[i]!));
    }
    if (!isTensor(value)) return value;
    const earlier = before as LoweredTensor;
    const known = this.#same.nowOf(earlier);
    if (known !== undefined) return known;
    const tensor: LoweredTensor = { dtype: value.dtype, shape: value.shape, name: earlier.name };
    this.#same.identify(earlier, tensor);
    return tensor;
  }
}

/** Whether two values are the same to the rules of ops, where tensors are if their types are. */
function isAlike(a: ArgValue, b: ArgValue): boolean {
  return isSame(a, b, (x, y) => x.dtype === y.dtype && sameShape(x.shape, y.shape));
}
