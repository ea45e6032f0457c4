import { type Arg, definitionsOf, usesOf } from "@pt2/graph";
import type { ArgValue } from "../tensor-meta.ts";
import type { LoweredNode } from "./call.ts";
import { isTensor } from "./lowered-tensor.ts";
import { isRuntimeScalar } from "./runtime-scalar.ts";

/** What nodes are sorted by. */
export interface Sorting {
  /** The classes of inputs, by name. */
  readonly inputs: ReadonlyMap<string, string>;
  /**
   * Returns the class of a value that a node makes: one that holds for what is known of the value, whatever makes it.
   * Null sorts values by what makes them.
   */
  readonly classOf: ((name: string) => string) | null;
  /** Whether a node has a class of its own. */
  readonly isAlone: (node: LoweredNode) => boolean;
}

/**
 * The nodes of a graph by what they do: those of a class call one op with the same numbers on values of one class each.
 * So they come to the same calls on other tensors for all inputs for which values of one class are of one kind. The
 * layers of a network are of the same classes.
 */
export class NodeClasses {
  /** The position of the first node of each node's class. */
  readonly first: readonly number[];
  /** The first nodes, in order. */
  readonly firsts: readonly number[];
  /** The class of each value, by name. */
  readonly #values: Map<string, string>;
  /** What the first node of a class makes, by the names of what its other nodes make so. */
  readonly #likes = new Map<string, string>();
  /** The inputs, and what the first nodes of classes make, by class of values. */
  readonly #sources = new Map<string, string[]>();
  readonly #readers = new Map<string, number[]>();

  constructor(nodes: readonly LoweredNode[], { inputs, classOf, isAlone }: Sorting) {
    this.#values = new Map(inputs);
    for (const [name, value] of inputs) add(this.#sources, value, name);
    const known = new Map<string, number>();
    this.first = nodes.map((lowered, at) => {
      const { node } = lowered;
      const key = isAlone(lowered) ? `alone ${at}` : this.#keyOf(lowered);
      const first = known.get(key) ?? at;
      known.set(key, first);
      for (const [index, name] of definitionsOf(node).entries()) {
        const value = classOf?.(name) ?? `${first}.${index}`;
        this.#values.set(name, value);
        if (first === at) add(this.#sources, value, name);
        else this.#likes.set(name, definitionsOf(nodes[first]!.node)[index]!);
      }
      if (first === at) {
        const read = new Set(usesOf(node).map((name) => this.classOf(name)!));
        for (const value of read) add(this.#readers, value, at);
      }
      return first;
    });
    this.firsts = [...new Set(this.first)];
  }

  /** Returns the class of a value; undefined for a name that the graph does not have. */
  classOf(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** Returns the value of the first node of a class that another one of its nodes makes as `name`; undefined for others. */
  likeOf(name: string): string | undefined {
    return this.#likes.get(name);
  }

  /** Returns the first nodes of the classes that read values of a class. */
  readersOf(name: string): readonly number[] {
    return this.#readers.get(this.classOf(name)!) ?? [];
  }

  /** Returns the names of all inputs, and of all values that the first nodes of classes make, that are like a value. */
  sourcesLike(name: string): readonly string[] {
    return this.#sources.get(this.classOf(name)!)!;
  }

  #keyOf({ node: { op, args, outputs, written } }: LoweredNode): string {
    const names: string[] = [];
    const keyOf = (arg: Arg): string => {
      if (arg.kind === "list") return `[${arg.items.map(keyOf)}]`;
      if (arg.kind !== "value") return `${arg.kind} ${literal(arg)}`;
      // Which arguments are one value decides about calls, too.
      if (!names.includes(arg.name)) names.push(arg.name);
      return `%${names.indexOf(arg.name)}:${this.classOf(arg.name)}`;
    };
    const made = outputs.map((output) => (output.kind === "list" ? output.names.length : output.kind));
    return `${op}|${args.map(({ name, arg }) => `${name}=${keyOf(arg)}`).join()}|${made}|${written}`;
  }
}

/** Returns what rules see of a value: tensors by dtype and shape. A number that each run sets is like no other. */
export function kindOf(value: ArgValue, name: string): string {
  if (isRuntimeScalar(value)) return `number ${name}`;
  if (isTensor(value)) return `${value.dtype}[${value.shape}]`;
  if (Array.isArray(value)) return `(${(value as readonly ArgValue[]).map((item, i) => kindOf(item, `${name}.${i}`))})`;
  return `${typeof value} ${literal(value)}`;
}

/** Returns equal texts for equal literals only. */
function literal(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === "bigint") return `${item}n`;
    if (typeof item !== "number") return item;
    return Object.is(item, -0) ? "-0" : Number.isFinite(item) ? item : String(item);
  });
}

function add<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
