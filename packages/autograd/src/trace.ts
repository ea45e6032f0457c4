import { contiguousStrides } from "@pt2/format";
import {
  type Arg,
  type Bindings,
  describeNode,
  evaluateSize,
  type Graph,
  type Node,
  type OpName,
  type Output,
  type SymInt,
  type TensorType,
} from "@pt2/graph";
import { GraphBuilder } from "@pt2/graph/passes";
import {
  type ArgValue,
  callArgs,
  Emitter,
  irArg,
  isTensorMeta,
  type OpRecord,
  type OpRegistry,
  type SchemaType,
  type TensorMeta,
  type ValueNames,
} from "@pt2/registry";
import { autogradError } from "./autograd-errors.ts";

/** An op that was called, with concrete arguments. */
export interface TracedCall {
  readonly record: OpRecord;
  readonly args: Readonly<Record<string, ArgValue>>;
  readonly results: readonly ArgValue[];
}

type Given = Readonly<Record<string, ArgValue>>;

const ANY: SchemaType = { kind: "base", base: "Any" };

/**
 * A graph that is built by calling ops. Every size is a number. A tensor is identified by the meta object that its call
 * returned.
 */
export class Trace implements ValueNames {
  readonly #emitter: Emitter;
  readonly #builder: GraphBuilder;
  readonly #given: Graph;
  readonly #bindings: Bindings;
  readonly #names = new Map<unknown, string>();
  #length = 0;
  /** The nodes whose names are in use. */
  readonly #kept = new Set<Node>();

  /** Starts with the inputs of `graph`; its names stay reserved. */
  constructor(registry: OpRegistry, graph: Graph, bindings: Bindings) {
    this.#given = graph;
    this.#bindings = bindings;
    this.#emitter = new Emitter(registry, { name: "autograd", isNative: () => true });
    this.#builder = new GraphBuilder(graph);
  }

  /** The number of nodes so far. */
  get length(): number {
    return this.#length;
  }

  /** Gives a value of the graph, such as an input, its meta. */
  declare(name: string, value: TensorMeta): void {
    this.#names.set(value, name);
    this.#builder.setType(name, typeOf(value));
  }

  /** Gives a value of the graph its meta; where it lies in memory, and in which order, is as recorded. */
  #declareRecorded(name: string, value: TensorMeta): void {
    this.declare(name, value);
    const recorded = this.#given.values.get(name);
    if (recorded?.kind !== "tensor") return;
    const [shape, strides] = [this.#numbers(recorded.shape), this.#numbers(recorded.strides)];
    if (`${shape}` === `${value.shape}` && strides !== null) this.#builder.setType(name, { ...typeOf(value), strides });
  }

  #numbers(sizes: readonly SymInt[]): readonly number[] | null {
    try {
      return sizes.map((size) => evaluateSize(size, this.#bindings));
    } catch {
      return null;
    }
  }

  /** Appends a call. Its results keep the names that `node` gives them if that is the same op, and get new ones otherwise. */
  call(op: OpName, given: Given, node: Node): TracedCall {
    const { calls } = this.#emitter;
    calls.length = 0;
    const results = this.#emitter.emit(op, given, { ...node, op });
    // An op that an op set has replaced may be several calls. What has no tensors is known now.
    const made = calls.splice(0);
    for (const call of made) if (call.results.length === 0 || hasTensor(call.results)) this.#push(call, node);
    const [first] = made;
    if (first === undefined || made.length > 1) return { record: first!.record, args: given, results };
    requireFixedSizes(first, node);
    return first;
  }

  /** Appends a node as it is. */
  copy(node: Node, results: readonly ArgValue[]): void {
    for (const [i, output] of node.outputs.entries()) {
      const values = [results[i] ?? null].flat() as readonly ArgValue[];
      const names = output.kind === "list" ? output.names : output.kind === "value" ? [output.name] : [];
      for (const [k, name] of names.entries()) if (isTensorMeta(values[k])) this.declare(name, values[k]);
    }
    this.#append(node);
  }

  knows(value: ArgValue): boolean {
    return this.#names.has(value);
  }

  nameOf(tensor: TensorMeta): string {
    const name = this.#names.get(tensor);
    if (name === undefined) throw new Error("a rule used a tensor that it was not given");
    return name;
  }

  /** Returns the argument that stands for a value. */
  argOf(value: ArgValue): Arg {
    return irArg(value, ANY, this);
  }

  /** Returns the finished graph. */
  build(outputs: readonly Arg[]): Graph {
    return this.#builder.build(outputs);
  }

  #append(node: Node): void {
    this.#length++;
    this.#builder.push(node);
  }

  #push({ record, args, results }: TracedCall, node: Node): void {
    const kept = record.name === node.op && node.outputs.length > 0 && !this.#kept.has(node) ? node.outputs : null;
    const base = record.name.slice(record.name.indexOf("::") + 2).split(".")[0]!;
    const name = (value: ArgValue, given: string | undefined): string => {
      const chosen = given ?? this.#builder.fresh(base);
      if (isTensorMeta(value)) given === undefined ? this.declare(chosen, value) : this.#declareRecorded(chosen, value);
      else this.#names.set(value, chosen);
      return chosen;
    };
    const outputs = results.map((result, i): Output => {
      const before = kept?.[i];
      if (Array.isArray(result)) {
        const names = before?.kind === "list" ? before.names : [];
        return { kind: "list", names: (result as readonly ArgValue[]).map((each, k) => name(each, names[k])) };
      }
      if (result === null) return { kind: "none" };
      return { kind: "value", name: name(result, before?.kind === "value" ? before.name : undefined) };
    });
    const first = outputs.flatMap((output) => (output.kind === "value" ? [output.name] : []))[0];
    this.#append({
      name: kept === null ? (first ?? this.#builder.fresh(base)) : node.name,
      op: record.name,
      args: callArgs(record.schema, args, this),
      outputs,
      origin: node.origin,
    });
    if (kept !== null) this.#kept.add(node);
  }
}

function hasTensor(value: ArgValue): boolean {
  return Array.isArray(value) ? (value as readonly ArgValue[]).some(hasTensor) : isTensorMeta(value);
}

function requireFixedSizes({ record, args }: TracedCall, node: Node): void {
  const { dynamic } = record;
  if (dynamic === undefined || dynamic === false || (dynamic !== true && !dynamic(args))) return;
  throw autogradError("autograd.sizes", {
    what: `The sizes of the results of ${record.name} depend on data`,
    where: describeNode(node),
    advice:
      "Replace it by an op with fixed sizes, such as a multiplication with a mask, or export forward and backward with PyTorch: torch.export.experimental._export_forward_backward.",
    details: { op: record.name },
  });
}

/** Returns the type of a dense tensor. */
function typeOf({ dtype, shape }: TensorMeta): TensorType {
  const device = { type: "cpu", index: null };
  return {
    kind: "tensor",
    dtype,
    shape,
    strides: contiguousStrides(shape),
    storageOffset: 0,
    device,
    requiresGrad: false,
  };
}
