import type { Arg, Graph, Node, TensorType } from "../../ir.ts";
import { mapArg, mapGraphs } from "../../query/map-node.ts";
import { argOf, definitionsOf, graphsOf, namesOf, usesOf, valuesOf } from "../../query/node-values.ts";
import { sameSizes } from "../../strides.ts";
import { GraphBuilder } from "../graph-builder.ts";
import { hiddenWrites } from "../hidden-writes.ts";
import { NO_OP_RULES } from "../no-op-rules.ts";
import type { Memory, Tensor, ViewStep } from "./alias-state.ts";
import { functionalBatchNorm } from "./batch-norm.ts";
import type { EffectsOf, OpAlias, OpEffects } from "./effects.ts";
import { IN_PLACE_VIEWS } from "./functional-names.ts";
import { functionalInstanceNorm } from "./instance-norm.ts";
import { isOfMemory, isWhole, looksBehindViews, offsetOfWhole } from "./memory.ts";
import { isInjective } from "./memory-write.ts";
import { MutationRewriter, unsupported } from "./mutation-rewriter.ts";
import { mutates, nodeEffects } from "./node-effects.ts";
import { RESIZES, resizeAsView } from "./resize.ts";
import { scatterInMemory } from "./strided-scatter.ts";
import { resolve, TensorTable } from "./tensor-table.ts";
import { type Aliasing, aliasing, isConjugate } from "./viewable.ts";

/** Operators that read a tensor's shape and not its content. */
const SHAPE_READERS = /^aten::sym_(size|stride|numel|storage_offset)/;

/** Rewrites one graph; its tensor table then records what was written. */
export class Functionalizer {
  readonly builder: GraphBuilder;
  readonly tensors: TensorTable;
  readonly #mutations: MutationRewriter;
  readonly #graph: Graph;
  readonly #effects: EffectsOf;
  readonly #passed: ReadonlySet<string>;

  /** `passed` are inputs from the caller: each starts at the beginning of its memory, whatever its offset at export. */
  constructor(graph: Graph, effects: EffectsOf, passed: ReadonlySet<string>) {
    this.#graph = graph;
    this.#passed = passed;
    this.#effects = effects;
    this.builder = new GraphBuilder(graph);
    this.tensors = new TensorTable(this.builder);
    this.#mutations = new MutationRewriter(this.builder, this.tensors);
    for (const input of graph.inputs) if (input !== null) this.tensors.allocate(input);
  }

  /** Rewrites all nodes and returns the results as they are after the last one. */
  run(): readonly Arg[] {
    for (const node of this.#graph.nodes) this.#node(node);
    return this.#graph.outputs.map((output) =>
      mapArg(output, (leaf) => (leaf.kind === "value" ? { ...leaf, name: this.tensors.read(leaf.name) } : leaf)),
    );
  }

  #node(node: Node): void {
    const effects = nodeEffects(node, this.#effects);
    const same = effects.claimed ? null : this.#identity(node);
    if (effects.claimed) this.#claimed(node, effects);
    else if (same !== null) this.tensors.alias(definitionsOf(node)[0]!, same);
    else if (IN_PLACE_VIEWS.has(node.op)) this.#inPlaceView(node);
    else if (effects.mutates.length === 0) this.#pure(node, effects);
    else if (RESIZES.has(node.op)) this.#resize(node);
    else if (node.op === "aten::instance_norm") functionalInstanceNorm(node, this.builder, this.tensors);
    else if (hiddenWrites(node).length > 0) functionalBatchNorm(node, this.builder, this.tensors);
    else if (node.op === "aten::copy_" && this.#mutations.plainCopy(node)) return;
    else this.#mutations.rewrite(node, effects);
  }

  /** Handles a node that the user's own code takes over, whatever its name. */
  #claimed(node: Node, effects: OpEffects): void {
    if (effects.mutates.length > 0) this.#mutations.rewrite(node, effects);
    else this.#pure(node, effects);
    if (!effects.opaque) return;
    const given = new Map(
      usesOf(node)
        .flatMap((name) => this.tensors.get(name)?.memory ?? [])
        .map(counted),
    );
    for (const name of definitionsOf(node)) {
      const tensor = this.tensors.get(name);
      // The arguments that it is named to write are known.
      if (tensor !== undefined && !given.has(tensor.memory)) tensor.memory.origin = { node, given };
    }
  }

  /** Returns the tensor that the node returns unchanged: detach, alias, a conversion to the dtype it already has. */
  #identity(node: Node): Tensor | null {
    const self = argOf(node, "self") ?? argOf(node, "input");
    if (self?.kind !== "value" || definitionsOf(node).length !== 1) return null;
    const result = NO_OP_RULES.get(node.op)?.(node, {
      functional: false,
      logicalViews: false,
      isUsed: () => true,
      tensorType: (name) => this.#typeOf(name),
    });
    return result === self ? (this.tensors.get(self.name) ?? null) : null;
  }

  #typeOf(name: string | undefined): TensorType | null {
    const tensor = name === undefined ? undefined : this.tensors.get(name);
    const type = tensor === undefined ? this.builder.typeOf(name ?? "") : this.tensors.typeOf(tensor);
    return type?.kind === "tensor" ? type : null;
  }

  #resolve(node: Node): Node {
    return resolve(node, (name) => (SHAPE_READERS.test(node.op) ? this.tensors.shape(name) : this.tensors.read(name)));
  }

  #pure(original: Node, effects: OpEffects): void {
    const node = isOfMemory(original) && !effects.claimed ? this.#ofMemory(original) : original;
    if (node.op === "higher_order::cond" && !effects.claimed && this.#cond(node)) return;
    if (node.op === "higher_order::while_loop" && !effects.claimed && this.#whileLoop(node)) return;
    const resolved = mapGraphs(this.#resolve(node), (graph) => this.#nested(graph, node));
    this.builder.push(resolved);
    this.#register(node, resolved, effects);
  }

  /**
   * Rewrites an as_strided node, which views the memory itself, past all other views, from its argument's offset unless
   * it has its own. In the functional program it views the base tensor, whose elements count in row-major order from
   * its first one, so they must have that order in PyTorch too.
   */
  #ofMemory(node: Node): Node {
    const self = argOf(node, "self");
    const tensor = self?.kind === "value" ? this.tensors.get(self.name) : undefined;
    if (tensor === undefined) return node;
    const { base } = tensor.memory;
    if (node.op === "aten::as_strided_scatter") return this.#scatter(node, tensor);
    const skipped = offsetOfWhole(this.tensors.typeOf(base));
    if (skipped === null) throw unsupported(node, "its memory is not in row-major order");
    const given = argOf(node, "storage_offset") ?? { kind: "none" };
    const unseen = given.kind === "none" || !this.#passed.has(base.value) ? skipped : 0;
    if (tensor.parent === null && (unseen === 0 || given.kind === "none")) return node;
    const whole = this.builder.fresh(`${node.name}_base`);
    this.tensors.alias(whole, base);
    const own = this.tensors.typeOf(tensor)?.storageOffset;
    const start = behind(
      given.kind === "none" && typeof own === "number" ? { kind: "int", value: own } : given,
      skipped,
    );
    if (start === null) throw unsupported(node, "its storage offset is unknown");
    const args = node.args.filter(({ name }) => name !== "self" && name !== "storage_offset");
    return {
      ...node,
      args: [{ name: "self", arg: { kind: "value", name: whole } }, ...args, { name: "storage_offset", arg: start }],
    };
  }

  /** Rewrites an as_strided_scatter, which writes to a copy of the memory of its argument. */
  #scatter(node: Node, tensor: Tensor): Node {
    const type = this.tensors.typeOf(tensor);
    // Of a tensor that has elements twice PyTorch makes a copy without them.
    if (type === undefined || isWhole(type) || isInjective(type) === false) return node;
    const { value } = tensor.memory.base;
    const skipped = this.#passed.has(value) ? this.tensors.typeOf(tensor.memory.base)?.storageOffset : 0;
    const offset = Number(type.storageOffset) - Number(skipped);
    const rewritten = Number.isNaN(offset)
      ? null
      : scatterInMemory(this.#resolve(node), { value: this.tensors.current(tensor), type, offset }, this.builder);
    if (rewritten === null) throw unsupported(node, "how its memory lies is unknown");
    return rewritten;
  }

  /** Registers the results of a node as views of an argument, or as new tensors. */
  #register(node: Node, resolved: Node, effects: OpEffects): void {
    const siblings: (Tensor | undefined)[] = [];
    let position = 0;
    node.outputs.forEach((output, index) => {
      const alias = effects.aliases.find((candidate) => candidate.output === index);
      namesOf(output).forEach((name, at) => {
        const item = output.kind === "list" ? at : null;
        const viewed = alias === undefined ? null : this.#viewed(node, alias, item);
        const how = viewed === null ? "copy" : this.#aliasing(resolved, alias!, viewed.parent, name);
        if (viewed === null || alias === undefined || how === "copy") this.tensors.allocate(name);
        else {
          const { parent, argItem } = viewed;
          const step: ViewStep = {
            node: resolved,
            arg: alias.arg,
            argItem,
            output: index,
            item,
            // Views of several parents are replayed one by one.
            siblings: argItem === null ? siblings : [],
            uncertain: how === "unknown",
            inverse: effects.inverse,
            claimed: effects.claimed === true,
          };
          this.tensors.view(name, parent, step, position);
        }
        position++;
      });
    });
  }

  /**
   * Returns the tensor that a result aliases: an argument, or of a list the item at the result's position or the only
   * one.
   */
  #viewed(node: Node, alias: OpAlias, item: number | null): { parent: Tensor; argItem: number | null } | null {
    const arg = argOf(node, alias.arg);
    const argItem = arg?.kind === "list" ? (item ?? (arg.items.length === 1 ? 0 : null)) : null;
    const viewed = arg?.kind === "list" ? arg.items[argItem ?? -1] : arg;
    const parent = viewed?.kind === "value" ? this.tensors.get(viewed.name) : undefined;
    return parent === undefined ? null : { parent, argItem };
  }

  #aliasing(node: Node, alias: OpAlias, parent: Tensor, name: string): Aliasing {
    if (alias.copies !== true) return "view";
    const from = this.tensors.typeOf(parent);
    return aliasing(node, { from, to: this.#typeOf(name) ?? undefined, isConjugate: isConjugate(parent, from?.dtype) });
  }

  #resize(node: Node): void {
    const view = resizeAsView(node, (name) => this.#typeOf(name));
    if (view === null)
      throw unsupported(node, "it needs more memory, which PyTorch leaves uninitialized, or sizes are unknown");
    if (this.#isReadBefore(node))
      throw unsupported(node, "it is read before, and its sizes are those that it has here in all calls but the first");
    this.#inPlaceView(node, view);
  }

  /** Whether a node before this one reads the state that this one gives other sizes. */
  #isReadBefore(node: Node): boolean {
    const memoryOf = (name: string): Memory | undefined => this.tensors.get(name)?.memory;
    const [self] = usesOf(node);
    const resized = this.#typeOf(self);
    const made = this.#typeOf(definitionsOf(node)[0]);
    if (self === undefined || (resized && made && sameSizes(resized.shape, made.shape))) return false;
    const memory = memoryOf(self);
    const isState = this.#graph.inputs.some(
      (name) => name !== null && !this.#passed.has(name) && memoryOf(name) === memory,
    );
    const before = this.#graph.nodes.slice(0, this.#graph.nodes.indexOf(node));
    return isState && before.some((other) => usesOf(other).some((name) => memoryOf(name) === memory));
  }

  /** Rewrites x.t_(): x, under all its names, becomes a view of its former content. */
  #inPlaceView(node: Node, view: Node = { ...node, op: IN_PLACE_VIEWS.get(node.op)! }): void {
    const self = argOf(node, "self");
    const tensor = self?.kind === "value" ? this.tensors.get(self.name) : undefined;
    if (tensor === undefined) throw unsupported(node, "its argument is not a tensor");
    const inverse = (this.#effects(view.op) ?? this.#effects(node.op))?.inverse;
    const aliases = [{ output: 0, arg: "self" }];
    this.#pure(view, { mutates: [], aliases, ...(inverse === undefined ? {} : { inverse }) });
    const [name] = definitionsOf(node);
    const turned = name === undefined ? undefined : this.tensors.get(name);
    if (turned !== undefined) this.tensors.replace(tensor, turned);
  }

  /** Rewrites a cond whose branches write to operands: each returns what the operands become, also where it leaves them. */
  #cond(node: Node): boolean {
    const operands = node.args.at(-1)?.arg;
    if (operands?.kind !== "list") return false;
    const branches = this.#functional(node);
    const written = this.#written(node, operands.items, (i) => branches.some(({ inner }) => inner.#isWritten(i)));
    if (written.length === 0) return false;
    const rewritten = branches.map(({ inner, outputs }) =>
      inner.builder.build([...outputs, ...written.map(({ i }) => inner.#inputNow(i))]),
    );
    let at = 0;
    this.#pushWriting(
      mapGraphs(this.#resolve(node), () => rewritten[at++]!),
      node,
      written,
    );
    return true;
  }

  /**
   * Rewrites a while_loop whose body writes to operands that are the same in every iteration: they are carried from one to
   * the next instead, behind the others.
   */
  #whileLoop(node: Node): boolean {
    const [, , carried, additional] = node.args.map(({ arg }) => arg);
    if (carried?.kind !== "list" || additional?.kind !== "list") return false;
    const [cond, body] = this.#functional(node);
    const count = carried.items.length;
    const operands = [...carried.items, ...additional.items];
    const written = this.#written(node, operands, (i) => body!.inner.#isWritten(i));
    const isMoved = (i: number): boolean => written.some((each) => each.i === i);
    const refused = operands.findIndex((_, i) => cond!.inner.#isWritten(i) || (i < count && isMoved(i)));
    if (refused >= 0) throw writes(node, graphsOf(node)[1]!.graph.inputs[refused]);
    if (written.length === 0) return false;
    const moved = <T>(items: readonly T[]): readonly T[] => [
      ...items.slice(0, count),
      ...items.filter((_, i) => isMoved(i)),
      ...items.filter((_, i) => i >= count && !isMoved(i)),
    ];
    const graphs = [cond!, body!].map(({ inner, outputs }): Graph => {
      const now = inner === body!.inner ? written.map(({ i }) => inner.#inputNow(i)) : [];
      const graph = inner.builder.build([...outputs, ...now]);
      return { ...graph, inputs: moved(graph.inputs) };
    });
    const resolved = this.#resolve(node);
    const items = resolved.args.slice(2, 4).flatMap(({ arg }) => (arg.kind === "list" ? arg.items : []));
    const split = count + written.length;
    const args = [
      ...graphs.map((graph, i): Arg => ({ ...(node.args[i]!.arg as Arg & { readonly kind: "graph" }), graph })),
      ...[moved(items).slice(0, split), moved(items).slice(split)].map((each): Arg => ({ kind: "list", items: each })),
    ];
    this.#pushWriting({ ...resolved, args: args.map((arg, i) => ({ ...node.args[i]!, arg })) }, node, written);
    return true;
  }

  /** Rewrites the graphs of a node, whatever they write to. */
  #functional(node: Node): readonly { readonly inner: Functionalizer; readonly outputs: readonly Arg[] }[] {
    return graphsOf(node).map(({ graph }) => {
      const inner = new Functionalizer(withNamedInputs(graph), this.#effects, new Set());
      return { inner, outputs: inner.run() };
    });
  }

  /** Returns the operands that the graphs of a node write to. */
  #written(node: Node, operands: readonly Arg[], isWritten: (operand: number) => boolean): readonly WrittenOperand[] {
    const written = operands.flatMap((operand, i) =>
      operand.kind === "value" && isWritten(i) ? [{ i, tensor: this.tensors.get(operand.name)! }] : [],
    );
    const memories = operands.flatMap((arg) => valuesOf(arg).map((name) => this.tensors.get(name)?.memory));
    for (const { tensor } of written) {
      if (memories.filter((memory) => memory === tensor.memory).length > 1)
        throw unsupported(node, "its graphs write to an operand that shares memory with another one");
    }
    return written;
  }

  /** Adds a node that returns what its operands become, beside its own results, and writes these there. */
  #pushWriting(resolved: Node, node: Node, written: readonly WrittenOperand[]): void {
    const results = written.map(({ tensor }) => {
      const name = this.builder.fresh(node.name);
      this.builder.setType(name, this.tensors.contentType(tensor));
      return name;
    });
    const outputs = [...node.outputs, ...results.map((name) => ({ kind: "value", name }) as const)];
    this.builder.push({ ...resolved, outputs });
    for (const name of definitionsOf(node)) this.tensors.allocate(name);
    written.forEach(({ tensor }, k) => {
      this.tensors.write(tensor, results[k]!, node);
    });
  }

  #isWritten(input: number): boolean {
    return (this.tensors.get(this.#graph.inputs[input]!)?.memory.generation ?? 0) > 0;
  }

  #inputNow(input: number): Arg {
    return { kind: "value", name: this.tensors.read(this.#graph.inputs[input]!) };
  }

  /** Rewrites a nested graph, which may write to its own tensors but not to its operands. */
  #nested(graph: Graph, node: Node): Graph {
    if (!mutates(graph, this.#effects) && !looksBehindViews(graph)) return graph;
    const inner = new Functionalizer(graph, this.#effects, new Set());
    const outputs = inner.run();
    const written = graph.inputs.find(
      (input) => input !== null && (inner.tensors.get(input)?.memory.generation ?? 0) > 0,
    );
    if (written !== undefined) throw writes(node, written);
    return inner.builder.build(outputs);
  }
}

/** An operand of a node, by its position, that the node's graphs write to. */
interface WrittenOperand {
  readonly i: number;
  readonly tensor: Tensor;
}

function writes(node: Node, operand: string | null | undefined): Error {
  return unsupported(node, `its graph writes to the operand \`${operand}\``);
}

function counted(memory: Memory): readonly [Memory, number] {
  return [memory, memory.generation];
}

/** Subtracts skipped elements from an offset. Returns null where the result is unknown. */
function behind(offset: Arg, skipped: number): Arg | null {
  if (offset.kind === "int") return { kind: "int", value: Number(offset.value) - skipped };
  return skipped === 0 && offset.kind !== "none" ? offset : null;
}

/** Names the inputs that a graph does not use. */
function withNamedInputs(graph: Graph): Graph {
  const builder = new GraphBuilder(graph);
  return { ...graph, inputs: graph.inputs.map((name) => name ?? builder.fresh("operand")) };
}
