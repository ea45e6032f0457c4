import { contiguousStrides } from "@pt2/format";
import type { NamedArg, Node, OpName, Output, TensorType, ValueType } from "@pt2/graph";
import type { ArgValue, LoweredTensor, TensorMeta } from "@pt2/registry";

/** Builds the nodes that replace a node. Metas stand for tensors. */
export class ExpansionBuilder {
  readonly nodes: Node[] = [];
  readonly types: Map<string, ValueType> = new Map();
  readonly #origin: Node;
  readonly #names = new Map<unknown, string>();
  #count = 0;

  /** `operands` are the metas of the values that `origin` uses. */
  constructor(origin: Node, operands: ReadonlyMap<string, ArgValue>) {
    this.#origin = origin;
    for (const [name, value] of operands) if (typeof value === "object") this.#names.set(value, name);
  }

  /** Returns the name of the value that a tensor is. */
  nameOf(tensor: TensorMeta): string {
    const name = this.#names.get(tensor);
    if (name === undefined) throw new Error(`a rule of ${this.#origin.op} used a tensor that it was not given`);
    return name;
  }

  /** Returns whether a meta is a tensor of this expansion. */
  knows(value: ArgValue): boolean {
    return this.#names.has(value);
  }

  /** Gives a tensor the name of a value. */
  bind(tensor: LoweredTensor, name: string): void {
    this.#names.set(tensor, name);
    this.types.set(name, typeOf(tensor));
  }

  /** Appends a node with one tensor as its result. */
  tensor(op: OpName, args: readonly NamedArg[]): string {
    const name = this.fresh();
    this.push(op, args, [{ kind: "value", name }], name);
    return name;
  }

  /** Appends a node whose results are those of a call. */
  call(op: OpName, args: readonly NamedArg[], results: readonly ArgValue[]): void {
    const outputs = results.map((result): Output => {
      if (Array.isArray(result))
        return { kind: "list", names: (result as readonly ArgValue[]).map((each) => this.#result(each)) };
      return result === null ? { kind: "none" } : { kind: "value", name: this.#result(result) };
    });
    this.push(op, args, outputs, this.fresh());
  }

  push(op: OpName, args: readonly NamedArg[], outputs: readonly Output[], name: string): void {
    this.nodes.push({ name, op, args, outputs, origin: this.#origin.origin });
  }

  fresh(): string {
    return `${this.#origin.name}.${this.#count++}`;
  }

  #result(result: ArgValue): string {
    const name = this.fresh();
    if (isMeta(result)) this.bind(result, name);
    else this.#names.set(result, name);
    return name;
  }
}

function isMeta(value: ArgValue): value is LoweredTensor {
  return typeof value === "object" && value !== null && "shape" in value;
}

/** Returns the type of a dense tensor with a meta's dtype and shape. */
function typeOf({ dtype, shape }: TensorMeta): TensorType {
  return {
    kind: "tensor",
    dtype,
    shape,
    strides: contiguousStrides(shape),
    storageOffset: 0,
    device: { type: "cpu", index: null },
    requiresGrad: false,
  };
}
