import { graphError } from "../../graph-errors.ts";
import type { Node, Output, TensorType } from "../../ir.ts";
import { describeNode } from "../../query/describe-node.ts";
import { argOf, definitionsOf, namesOf, valuesOf } from "../../query/node-values.ts";
import { sameSizes } from "../../strides.ts";
import type { GraphBuilder } from "../graph-builder.ts";
import type { Tensor } from "./alias-state.ts";
import type { OpEffects } from "./effects.ts";
import { functionalArguments, functionalForm, furtherResults, isOutVariant } from "./functional-names.ts";
import { computedDtype } from "./result-dtype.ts";
import { resolve, type TensorTable } from "./tensor-table.ts";

/** Converts nodes that write to functional nodes. */
export class MutationRewriter {
  readonly #builder: GraphBuilder;
  readonly #tensors: TensorTable;
  /** Writes to apply after the functional node and its conversions were emitted. */
  readonly #writes: (readonly [Tensor, string])[] = [];

  constructor(builder: GraphBuilder, tensors: TensorTable) {
    this.#builder = builder;
    this.#tensors = tensors;
  }

  /** Handles copy_ between tensors of the same type: the source becomes the content. */
  plainCopy(node: Node): boolean {
    const [self, src] = [argOf(node, "self"), argOf(node, "src")];
    if (self?.kind !== "value" || src?.kind !== "value") return false;
    const [to, from] = [this.#typeOf(self.name), this.#typeOf(src.name)];
    const target = this.#tensors.get(self.name);
    if (to === null || from === null || target === undefined) return false;
    const sameDevice = to.device.type === from.device.type && to.device.index === from.device.index;
    if (!sameDevice || to.dtype !== from.dtype || !sameSizes(to.shape, from.shape)) return false;
    this.#tensors.write(target, this.#tensors.read(src.name), node);
    for (const name of definitionsOf(node)) this.#tensors.alias(name, target);
    return true;
  }

  /** Converts op_(x, …) to y = op(x, …), cast to the dtype of x, and writes y to x. */
  rewrite(node: Node, effects: OpEffects): void {
    const op = functionalForm(node, effects);
    if (op === null) throw withoutForm(node, effects);
    const resolved = resolve(node, (name) => this.#tensors.read(name));
    const args =
      isOutVariant(node.op) && op !== node.op
        ? resolved.args.filter(({ name }) => !effects.mutates.includes(name))
        : functionalArguments(resolved);
    const aliased = node.outputs.map((_, i) =>
      effects.aliases.find(({ output, arg }) => output === i && effects.mutates.includes(arg)),
    );
    const written = effects.mutates.map((arg) => ({
      arg,
      tensors: valuesOf(argOf(node, arg)!).map((name) => this.#tensors.get(name)),
      isList: argOf(node, arg)!.kind === "list",
      /** The result gets the name of the in-place result. */
      name: node.outputs.flatMap((output, i) => (aliased[i]?.arg === arg ? namesOf(output) : [])),
    }));
    const casts: (() => void)[] = [];
    const results = written.map(({ tensors, isList, name }): Output => {
      const names = tensors.map((tensor, i) => {
        if (tensor === undefined) throw unsupported(node, "it writes to something that is not a tensor");
        return this.#result(resolved, tensor, name[i] ?? null, op === node.op ? null : casts);
      });
      return isList ? { kind: "list", names } : { kind: "value", name: names[0]! };
    });
    const resultOf = new Map(written.map(({ arg }, i) => [arg, results[i]!]));
    // A handler keeps the order of its schema; a functional variant returns written values after the other results.
    const outputs =
      op === node.op
        ? [
            ...node.outputs.map((output, i) => resultOf.get(aliased[i]?.arg ?? "") ?? output),
            ...written.flatMap(({ arg }, i) => (aliased.some((alias) => alias?.arg === arg) ? [] : results[i]!)),
          ]
        : [...node.outputs.filter((_, i) => aliased[i] === undefined), ...this.#further(node), ...results];
    const [first] = written;
    const fits = op !== node.op && written.length === 1 && args.some(({ name }) => name === first!.arg);
    this.#builder.push({
      ...node,
      ...(fits && !first!.isList && { written: first!.arg }),
      name: casts.length > 0 ? this.#builder.fresh(node.name) : node.name,
      op,
      args,
      outputs,
    });
    for (const cast of casts) cast();
    for (const name of node.outputs.flatMap((output, i) => (aliased[i] === undefined ? namesOf(output) : []))) {
      this.#tensors.allocate(name);
    }
    for (const { tensors, name } of written) {
      for (const [i, alias] of name.entries()) this.#tensors.alias(alias, tensors[i]!);
    }
    for (const [tensor, value] of this.#writes.splice(0)) this.#tensors.write(tensor, value, node);
  }

  #further(node: Node): readonly Output[] {
    const count = furtherResults(node);
    return Array.from({ length: count }, () => ({ kind: "value", name: this.#builder.fresh(node.name) }));
  }

  /**
   * Returns the name of the result that is written to `tensor`; the cast is deferred until after the node. Without
   * `casts`, the node returns the dtype of the tensor itself.
   */
  #result(node: Node, tensor: Tensor, wished: string | null, casts: (() => void)[] | null): string {
    const type = this.#resized(node, tensor, wished) ?? this.#tensors.contentType(tensor);
    const final = wished ?? this.#builder.fresh(node.name);
    this.#builder.setType(final, type);
    this.#writes.push([tensor, final]);
    if (casts === null || type === undefined) return final;
    // For PyTorch's own ops, the name determines the dtype.
    const known = /^(aten|prims)::/.test(node.op);
    const dtype = known ? computedDtype(node, type, (name) => this.#builder.typeOf(name)) : undefined;
    if (dtype === type.dtype) return final;
    const computed = this.#builder.fresh(node.name);
    if (dtype !== undefined) this.#builder.setType(computed, { ...type, dtype });
    casts.push(() => {
      this.#builder.push({
        name: final,
        op: "aten::_to_copy",
        args: [
          { name: "self", arg: { kind: "value", name: computed } },
          { name: "dtype", arg: { kind: "dtype", value: type.dtype } },
        ],
        outputs: [{ kind: "value", name: final }],
        origin: node.origin,
      });
    });
    return computed;
  }

  /** Returns the type of what an out variant makes of a tensor that it gives other sizes. */
  #resized(node: Node, tensor: Tensor, wished: string | null): TensorType | null {
    if (wished === null || tensor.parent !== null || !isOutVariant(node.op)) return null;
    const [old, made] = [this.#tensors.contentType(tensor), this.#builder.typeOf(wished)];
    const differs = old !== undefined && made?.kind === "tensor" && !sameSizes(old.shape, made.shape);
    return differs ? { ...made, dtype: old.dtype } : null;
  }

  #typeOf(name: string): TensorType | null {
    const tensor = this.#tensors.get(name);
    return (tensor === undefined ? undefined : this.#tensors.typeOf(tensor)) ?? null;
  }
}

function withoutForm(node: Node, { mutates, claimed }: OpEffects): Error {
  if (!claimed && /^(aten|prims)::/.test(node.op)) return unsupported(node, "it has no functional form");
  return graphError("graph.mutation", {
    what: `${node.op} writes to \`${mutates.join("`, `")}\`, but nothing declares what it writes`,
    where: describeNode(node),
    advice:
      "declare the written value as a result, `Tensor(a!)`, and compute it in the op's rules; or pass load() a handler with `compile`, which writes to the argument's `data`",
  });
}

/** Creates the error for a node without functional form. */
export function unsupported(node: Node, reason: string): Error {
  return graphError("graph.mutation", {
    what: `${node.op} cannot be made functional: ${reason}`,
    where: describeNode(node),
    advice: "export with run_decompositions(), or use a backend that runs mutations as they are",
  });
}
