import type { DType } from "@pt2/format";
import { graphError } from "../../graph-errors.ts";
import type { Arg, NamedArg, Node, NodeOrigin, OpName, TensorType } from "../../ir.ts";
import { describeNode } from "../../query/describe-node.ts";
import { mapValues, renameOutput } from "../../query/map-node.ts";
import { definitionsOf } from "../../query/node-values.ts";
import type { GraphBuilder } from "../graph-builder.ts";
import { Memory, newView, type Tensor, type ViewStep } from "./alias-state.ts";
import { chainOf, isInjective, positionsIn, writesOneNumber } from "./memory-write.ts";
import { type WriteContext, writeRule } from "./view-writes.ts";

/** Tracks the tensors of the mutable program, and the values of the new one that hold their contents at this point. */
export class TensorTable {
  readonly #builder: GraphBuilder;
  readonly #tensors = new Map<string, Tensor>();

  constructor(builder: GraphBuilder) {
    this.#builder = builder;
  }

  get(name: string): Tensor | undefined {
    return this.#tensors.get(name);
  }

  /** Makes `name` another name of `tensor`. */
  alias(name: string, tensor: Tensor): void {
    this.#tensors.set(name, tensor);
  }

  /** Registers `name` as a new tensor. Values that are not tensors are not tracked. */
  allocate(name: string): void {
    const type = this.#builder.typeOf(name);
    if (type === undefined || type.kind === "tensor") this.#tensors.set(name, new Memory(name).base);
  }

  /** Registers `name` as a view of `parent`. */
  view(name: string, parent: Tensor, step: ViewStep, position: number): Tensor {
    const tensor = newView(parent, step, name);
    step.siblings[position] = tensor;
    this.#tensors.set(name, tensor);
    return tensor;
  }

  /** Makes all names of one tensor names of another, after an in-place view op. */
  replace(from: Tensor, to: Tensor): void {
    for (const [name, tensor] of this.#tensors) if (tensor === from) this.#tensors.set(name, to);
  }

  /**
   * Returns the type of a tensor as PyTorch recorded it. The value that holds its content now may have other strides,
   * which say nothing about what is a view of its memory, and where.
   */
  typeOf(tensor: Tensor): TensorType | undefined {
    const { step, memory } = tensor;
    const name = step === null ? memory.created : definitionsOf(step.node)[positionOf(tensor)];
    const type = name === undefined ? undefined : this.#builder.typeOf(name);
    return type?.kind === "tensor" ? type : undefined;
  }

  /** Returns the type of the value that holds the content of a tensor, with that value's strides. */
  contentType({ value }: Tensor): TensorType | undefined {
    const type = this.#builder.typeOf(value);
    return type?.kind === "tensor" ? type : undefined;
  }

  /** Returns the value that holds the current content of `name`. */
  read(name: string): string {
    const tensor = this.#tensors.get(name);
    return tensor === undefined ? name : this.current(tensor);
  }

  /** Returns a value with the shape of `name`, whatever its content. */
  shape(name: string): string {
    return this.#tensors.get(name)?.value ?? name;
  }

  /** Returns the current value of a tensor; a view is replayed if its memory was written since. */
  current(tensor: Tensor): string {
    const { memory, parent, step } = tensor;
    requireApart(memory);
    if (tensor.generation === memory.generation || parent === null || step === null) return tensor.value;
    this.#requireCertain(step);
    const values = this.#replay(step, this.current(parent));
    step.siblings.forEach((sibling, i) => {
      if (sibling === undefined) return;
      sibling.value = values[i]!;
      sibling.generation = memory.generation;
    });
    return tensor.value;
  }

  /** Writes `update` to a tensor: to its memory, through all views on the way. */
  write(tensor: Tensor, update: string, writer: Node): void {
    const steps = chainOf(tensor).map(({ step }) => step!);
    for (const step of steps) this.#requireCertain(step);
    const barred = steps.find(({ inverse }) => inverse === undefined);
    const overlaps = this.#overlaps(tensor, writer);
    if (barred === undefined && !overlaps) this.#throughViews(tensor, update, writer);
    else if (this.#toMemory(tensor, update, writer)) return;
    else if (barred !== undefined) throw unwritable(barred, writer);
    else this.#throughViews(tensor, update, writer);
  }

  /**
   * Whether a view has an element of memory more than once. Then the order of writes decides, unless all are of one number,
   * and PyTorch refuses most of them.
   */
  #overlaps(tensor: Tensor, writer: Node): boolean {
    const type = tensor.parent === null ? undefined : this.typeOf(tensor);
    if (type === undefined || isInjective(type) !== false) return false;
    if (writesOneNumber(writer)) return true;
    throw graphError("graph.mutation", {
      what: `${writer.op} writes through ${tensor.step!.node.op} to elements of memory more than once`,
      where: describeNode(writer),
      advice: "write to a copy in the model, or use a backend that runs mutations as they are",
    });
  }

  #throughViews(tensor: Tensor, update: string, writer: Node): void {
    const { memory, parent, step } = tensor;
    if (parent === null || step === null) {
      if (memory.origin !== null) throw unknownAliasing(memory.origin.node, `${writer.op} writes to a result`, writer);
      memory.generation++;
    } else {
      const context = this.#context(tensor, step, parent, writer.origin);
      const content = writeRule(step.inverse!)(context, update);
      if (content === null) throw unwritable(step, writer);
      this.#throughViews(parent, content, writer);
    }
    tensor.value = update;
    tensor.generation = memory.generation;
  }

  /** Writes `update` to a tensor's positions in its memory, which the same views of an index tensor give. */
  #toMemory(tensor: Tensor, update: string, writer: Node): boolean {
    const { origin } = writer;
    const { memory } = tensor;
    const chain = chainOf(tensor);
    if (memory.origin !== null || chain.some(({ step }) => step?.claimed)) return false;
    const [type, viewed] = [this.contentType(memory.base), this.typeOf(tensor)];
    if (type === undefined || viewed === undefined) return false;
    if (isInjective(viewed) !== true && !writesOneNumber(writer)) return false;
    if (chain.some((view) => this.typeOf(view)?.dtype !== type.dtype)) return false;
    const positions = positionsIn(type, this.#builder, origin);
    if (positions === null) return false;
    const index = chain.reduce((at, view) => this.#replay(view.step!, at, "int64")[positionOf(view)]!, positions);
    const args = Object.entries({ self: memory.base.value, index, source: update });
    const [content] = this.#builder.emit({
      op: "aten::put",
      args: args.map(([name, value]) => ({ name, arg: { kind: "value", name: value } })),
      results: [{ name: "put", type }],
      origin,
    });
    memory.base.value = content!;
    memory.generation++;
    for (const written of [memory.base, tensor]) written.generation = memory.generation;
    tensor.value = update;
    return true;
  }

  #context(tensor: Tensor, step: ViewStep, parent: Tensor, origin: NodeOrigin): WriteContext {
    const value = this.current(parent);
    const parentType = this.contentType(parent);
    const emit = (op: OpName, args: readonly NamedArg[], type = parentType): string =>
      this.#builder.emit({ op, args, results: [{ name: wishedName(op), type }], origin })[0]!;
    return {
      node: step.node,
      arg: step.arg,
      position: positionOf(tensor),
      parent: value,
      parentType,
      viewType: this.contentType(tensor),
      item: step.item,
      emit,
      emitInt: (op, args): Arg => {
        const type = { kind: "symint", value: null } as const;
        const [name] = this.#builder.emit({ op, args, results: [{ name: wishedName(op), type }], origin });
        return { kind: "value", name: name! };
      },
      pieces: () => {
        const fresh = step.siblings.every((s) => s !== undefined && s.generation === s.memory.generation);
        return fresh ? step.siblings.map((sibling) => sibling!.value) : this.#replay(step, value);
      },
    };
  }

  /** Replays the views of a step on another value; with a dtype if one is given. */
  #replay({ node, arg, argItem }: ViewStep, parent: string, dtype?: DType): readonly string[] {
    const names = definitionsOf(node).map((name) => {
      const fresh = this.#builder.fresh(name);
      const type = this.#builder.typeOf(name);
      this.#builder.setType(fresh, type?.kind === "tensor" && dtype !== undefined ? { ...type, dtype } : type);
      return [name, fresh] as const;
    });
    const renamed = new Map(names);
    const args = node.args.map((named) =>
      named.name === arg ? { name: arg, arg: this.#replaced(named.arg, argItem, parent, dtype) } : named,
    );
    const outputs = node.outputs.map((output) => renameOutput(output, (old) => renamed.get(old)!));
    const [first] = names;
    const name = first?.[0] === node.name ? first[1] : this.#builder.fresh(node.name);
    this.#builder.push({ ...node, name, args, outputs });
    return names.map(([, fresh]) => fresh);
  }

  /** Replaces an argument, or one item of it; with `dtype`, the other items are cast too. */
  #replaced(arg: Arg, item: number | null, name: string, dtype: DType | undefined): Arg {
    const value: Arg = { kind: "value", name };
    if (item === null || arg.kind !== "list") return value;
    const items = arg.items.map((other, i) =>
      i === item ? value : dtype === undefined ? other : this.#as(other, dtype),
    );
    return { kind: "list", items };
  }

  #as(arg: Arg, dtype: DType): Arg {
    const type = arg.kind === "value" ? this.#builder.typeOf(arg.name) : undefined;
    if (type?.kind !== "tensor" || type.dtype === dtype) return arg;
    const args = [
      { name: "self", arg },
      { name: "dtype", arg: { kind: "dtype", value: dtype } as const },
    ];
    const results = [{ name: "to_copy", type: { ...type, dtype } }];
    return { kind: "value", name: this.#builder.emit({ op: "aten::_to_copy", args, results, origin: {} })[0]! };
  }

  #requireCertain(step: ViewStep): void {
    if (!step.uncertain) return;
    throw graphError("graph.mutation", {
      what: `${step.node.op} returns a view or a copy, depending on unknown strides, and its argument is written to later`,
      where: describeNode(step.node),
      advice: "use `view` or `clone` in the model, or a backend that runs mutations as they are",
    });
  }
}

/** Replaces the values that a node uses by those that hold their current contents. */
export function resolve(node: Node, read: (name: string) => string): Node {
  return mapValues(node, (name) => ({ kind: "value", name: read(name) }));
}

/** Returns the position of a view among the results of its node. */
function positionOf(view: Tensor): number {
  return view.step!.siblings.indexOf(view);
}

function wishedName(op: OpName): string {
  return op.slice(op.indexOf("::") + 2).split(".")[0]!;
}

function unwritable({ node, claimed }: ViewStep, writer: Node): Error {
  return graphError("graph.mutation", {
    what: claimed
      ? `${writer.op} writes through ${node.op}, but the handler or op set that replaces ${node.op} returns a copy`
      : `${writer.op} writes through ${node.op}, for which no rule says which elements change`,
    where: describeNode(writer),
    advice: claimed
      ? "define the view op with a `view` rule, which says where its elements are, or write to a copy in the model"
      : "write to a copy in the model, or use a backend that runs mutations as they are",
  });
}

/** Throws when a result of unknown aliasing is read after one of its node's arguments was written. */
function requireApart({ origin }: Memory): void {
  if (origin === null) return;
  for (const [memory, generation] of origin.given) {
    if (memory.generation !== generation)
      throw unknownAliasing(origin.node, "one of these arguments is written to", origin.node);
  }
}

function unknownAliasing(node: Node, how: string, where: Node): Error {
  return graphError("graph.mutation", {
    what: `It is unknown whether results of ${node.op} share memory with its arguments, and ${how}`,
    where: describeNode(where),
    advice: `pass its schema to \`load\` in an op set, \`defineOp("${node.op}(…) -> …")\`, with \`(a)\` where a result is a view`,
  });
}
