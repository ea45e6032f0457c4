import { graphError } from "../../graph-errors.ts";
import type { Arg, NamedArg, Node, NodeOrigin, OpName, TensorType } from "../../ir.ts";
import { definitionsOf, mapValues } from "../../query/args.ts";
import { describeNode } from "../../query/describe.ts";
import type { GraphBuilder } from "../graph-builder.ts";
import { Memory, newView, type Tensor, type ViewStep } from "./alias-state.ts";
import { VIEW_WRITES, type WriteContext, type WriteRule } from "./view-writes.ts";

/** The tensors of the mutable program, and the values of the new one that hold their contents at this point. */
export class TensorTable {
  readonly #builder: GraphBuilder;
  readonly #tensors = new Map<string, Tensor>();

  constructor(builder: GraphBuilder) {
    this.#builder = builder;
  }

  get(name: string): Tensor | undefined {
    return this.#tensors.get(name);
  }

  /** `name` is another name of `tensor`. */
  alias(name: string, tensor: Tensor): void {
    this.#tensors.set(name, tensor);
  }

  /** `name` is a tensor of its own. Values that are no tensors are not tracked. */
  allocate(name: string): void {
    const type = this.#builder.typeOf(name);
    if (type === undefined || type.kind === "tensor") this.#tensors.set(name, new Memory(name).base);
  }

  /** `name` is a view of `parent`. */
  view(name: string, parent: Tensor, step: ViewStep, position: number): Tensor {
    const tensor = newView(parent, step, name);
    step.siblings[position] = tensor;
    this.#tensors.set(name, tensor);
    return tensor;
  }

  /** All names of one tensor become names of another: it was turned into a view of itself. */
  replace(from: Tensor, to: Tensor): void {
    for (const [name, tensor] of this.#tensors) if (tensor === from) this.#tensors.set(name, to);
  }

  typeOf(tensor: Tensor): TensorType | undefined {
    const type = this.#builder.typeOf(tensor.value);
    return type?.kind === "tensor" ? type : undefined;
  }

  /** The value that holds the content of `name` now. */
  read(name: string): string {
    const tensor = this.#tensors.get(name);
    return tensor === undefined ? name : this.current(tensor);
  }

  /** A value with the shape of `name`, whatever its content. */
  shape(name: string): string {
    return this.#tensors.get(name)?.value ?? name;
  }

  /** Takes the view again where its memory was written to since. */
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
    const { memory, parent, step } = tensor;
    if (parent === null || step === null) {
      if (memory.origin !== null) throw unknownAliasing(memory.origin.node, `${writer.op} writes to it`, writer);
      memory.generation++;
    } else {
      this.#requireCertain(step);
      const context = this.#context(step, parent, writer.origin);
      const rule = (step.claimed ? undefined : VIEW_WRITES.get(step.node.op)) ?? scatteredBy(step, tensor);
      const content = rule(context, update);
      if (content === null) throw unwritable(step, writer);
      this.write(parent, content, writer);
    }
    tensor.value = update;
    tensor.generation = memory.generation;
  }

  #context(step: ViewStep, parent: Tensor, origin: NodeOrigin): WriteContext {
    const value = this.current(parent);
    const parentType = this.typeOf(parent);
    const emit = (op: OpName, args: readonly NamedArg[]): string =>
      this.#builder.emit({ op, args, results: [{ name: wishedName(op), type: parentType }], origin })[0]!;
    return {
      node: step.node,
      parent: value,
      parentType,
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

  /** Takes the views of a step again, of other content. */
  #replay({ node, arg }: ViewStep, parent: string): readonly string[] {
    const names = definitionsOf(node).map((name) => {
      const fresh = this.#builder.fresh(name);
      this.#builder.setType(fresh, this.#builder.typeOf(name));
      return [name, fresh] as const;
    });
    const renamed = new Map(names);
    const args = node.args.map((named) =>
      named.name === arg ? { name: arg, arg: { kind: "value", name: parent } as const } : named,
    );
    const outputs = node.outputs.map((output) => {
      if (output.kind === "value") return { ...output, name: renamed.get(output.name)! };
      return output.kind === "list" ? { ...output, names: output.names.map((name) => renamed.get(name)!) } : output;
    });
    const [first] = names;
    const name = first?.[0] === node.name ? first[1] : this.#builder.fresh(node.name);
    this.#builder.push({ ...node, name, args, outputs });
    return names.map(([, fresh]) => fresh);
  }

  #requireCertain(step: ViewStep): void {
    if (!step.uncertain) return;
    throw graphError("graph.mutation", {
      what: `${step.node.op} gives a view or a copy depending on strides that are not known here, and what it views is written to later`,
      where: describeNode(step.node),
      advice: "use `view` or `clone` in the model, or a backend that runs mutations as they are",
    });
  }
}

/** Rewrites the values a node uses to the ones that hold their contents. */
export function resolve(node: Node, read: (name: string) => string): Node {
  return mapValues(node, (name) => ({ kind: "value", name: read(name) }));
}

function wishedName(op: OpName): string {
  return op.slice(op.indexOf("::") + 2).split(".")[0]!;
}

/** The operator that the view's record tells. */
function scatteredBy({ node, arg, scatter, siblings }: ViewStep, view: Tensor): WriteRule {
  return ({ emit, parent }, update) => {
    if (scatter === undefined) return null;
    const at = siblings.indexOf(view);
    const which: NamedArg[] = at === 0 ? [] : [{ name: "view", arg: { kind: "int", value: at } }];
    const rest = node.args.filter(({ name }) => name !== arg);
    const values = [parent, update].map((name) => ({ kind: "value", name }) as const);
    return emit(scatter, [{ name: arg, arg: values[0]! }, { name: "src", arg: values[1]! }, ...rest, ...which]);
  };
}

function unwritable({ node, claimed }: ViewStep, writer: Node): Error {
  return graphError("graph.mutation", {
    what: claimed
      ? `${writer.op} writes through ${node.op}, of which what takes it over gives a copy`
      : `${writer.op} writes through ${node.op}, which has no functional form`,
    where: describeNode(writer),
    advice: claimed
      ? "give the view as a record with a `view` rule, which says where its elements lie, or write to a copy in the model"
      : "write to a copy in the model, or use a backend that runs mutations as they are",
  });
}

/** Refuses to look at what an opaque node gave once its arguments are others. */
function requireApart({ origin }: Memory): void {
  if (origin === null) return;
  for (const [memory, generation] of origin.given) {
    if (memory.generation !== generation)
      throw unknownAliasing(origin.node, "an argument of it is written to", origin.node);
  }
}

function unknownAliasing(node: Node, how: string, where: Node): Error {
  return graphError("graph.mutation", {
    what: `Nothing says whether what ${node.op} gives shares memory with its arguments, and ${how}`,
    where: describeNode(where),
    advice: `give its schema to \`load\` in an op set, \`defineOp("${node.op}(…) -> …")\`, with \`(a)\` where a result is a view`,
  });
}
