import { LruCache } from "@pt2/format";
import { argOf, type Graph, type Node } from "@pt2/graph";
import {
  type ArgValue,
  answersOf,
  argValue,
  describeNode,
  type HandlerFrame,
  type HandlerFunction,
  type HandlerResult,
  type HandlerTensor,
  type OpHandler,
  type OpRecord,
  requireDepth,
  requireFunction,
  resolveArgs,
} from "@pt2/registry";
import type { NativeTensor, NativeValue } from "../addon.ts";
import { hostOperands } from "../encode/encode-program.ts";
import { libtorchError } from "../libtorch-errors.ts";
import { fromNative, located } from "../native-failure.ts";
import { fromTensor, isNativeTensor } from "../native-tensor.ts";
import { handlerCalls } from "./handler-calls.ts";
import { handlerTensor, isHandlerTensor } from "./handler-tensor.ts";
import { type HostNode, type HostRun, MOST_VARIANTS } from "./host-node.ts";
import type { HostServices } from "./host-services.ts";
import { operandValues, valueKey } from "./operand-values.ts";

type Args = Readonly<Record<string, ArgValue>>;

/** A node that a handler's `compile` takes: compiled once for the shapes of its operands, at load where these are known. */
export class HandlerNode implements HostNode {
  readonly #node: Node;
  readonly #compile: NonNullable<OpHandler["compile"]>;
  readonly #services: HostServices;
  readonly #operands: readonly string[];
  readonly #types: Graph["values"];
  readonly #functions = new LruCache<string, HandlerFunction>(MOST_VARIANTS);

  /** `types` are those of the graph's values. */
  constructor(
    node: Node,
    compile: NonNullable<OpHandler["compile"]>,
    services: HostServices,
    types: Graph["values"] = new Map(),
  ) {
    this.#node = node;
    this.#types = types;
    this.#compile = compile;
    this.#services = services;
    this.#operands = hostOperands(node);
  }

  /** Compiles for operands that are known at load. */
  prepare(operands: ReadonlyMap<string, ArgValue>): void {
    const key = valueKey(this.#operands.map((name) => operands.get(name)!));
    this.#functions.get(key, () => this.#compiled(this.#argsOf(operands)));
  }

  async run(operands: readonly NativeValue[], { depth = 0 }: HostRun): Promise<readonly NativeValue[]> {
    requireDepth(depth, this.#node);
    const bytes = new Map<NativeTensor, Uint8Array>();
    for (const tensor of tensorsIn(operands)) {
      bytes.set(tensor, await tensor.read().catch((error: unknown) => Promise.reject(fromNative(error))));
    }
    const { answer, results } = this.#call(operands, (tensor) => bytes.get(tensor)!, depth);
    return results(await answer);
  }

  runSync(operands: readonly NativeValue[]): readonly NativeValue[] {
    const { answer, results } = this.#call(operands, (tensor) => located(() => tensor.bytes()), 0);
    if (!(answer instanceof Promise)) return results(answer);
    answer.catch(() => {});
    throw libtorchError("libtorch.async-handler", {
      what: `The handler of ${this.#node.op} returns a promise, which a synchronous run cannot wait for`,
      where: describeNode(this.#node),
      advice: "Use run(), or a handler that returns its result at once.",
    });
  }

  #call(
    operands: readonly NativeValue[],
    bytesOf: (tensor: NativeTensor) => Uint8Array,
    depth: number,
  ): { readonly answer: ReturnType<HandlerFunction>; results(answer: HandlerResult): readonly NativeValue[] } {
    const values = operandValues(this.#operands, operands);
    const args = this.#argsOf(values);
    const key = valueKey(this.#operands.map((name) => values.get(name)!));
    const run = this.#functions.get(key, () => this.#compiled(args));
    const tensors = new Map<ArgValue, NativeTensor>();
    for (const [i, name] of this.#operands.entries()) pair(values.get(name) ?? null, operands[i] ?? null, tensors);
    const given = (value: ArgValue): unknown => {
      if (Array.isArray(value)) return (value as readonly ArgValue[]).map(given);
      const native = tensors.get(value);
      // The handler gets a copy: it must not change the weights and inputs that its arguments may be.
      return native === undefined ? value : handlerTensor(native, bytesOf(native).slice());
    };
    const shown = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, given(value)]));
    const answer = run({ args: shown as HandlerFrame["args"], call: handlerCalls(this.#services, this.#node, depth) });
    return { answer, results: (returned) => this.#results(returned, shown, values) };
  }

  #argsOf(values: ReadonlyMap<string, ArgValue>): Args {
    const node = this.#node;
    const given = Object.fromEntries(node.args.map(({ name, arg }) => [name, argValue(arg, values, node)]));
    const record = this.#record();
    return record === undefined ? given : resolveArgs(record.schema, given, () => describeNode(node));
  }

  /** Returns what is known of the op. */
  #record(): Pick<OpRecord, "schema" | "mutates"> | undefined {
    const { registry, dispatcher } = this.#services.router;
    const record = registry.resolve(this.#node.op);
    const schema = record === undefined ? dispatcher.schema(this.#node.op) : null;
    return schema === null ? record : { schema };
  }

  #compiled(args: Args): HandlerFunction {
    const node = this.#node;
    const initial = (name: string): HandlerTensor | undefined => {
      const arg = argOf(node, name);
      return arg?.kind === "value" ? this.#services.initial(arg.name) : undefined;
    };
    const context = { backend: "libtorch", initial };
    const made = this.#compile({ op: node.op, name: node.name, args, where: describeNode(node) }, context);
    return requireFunction(made, node);
  }

  #results(
    returned: HandlerResult,
    args: Readonly<Record<string, unknown>>,
    values: ReadonlyMap<string, ArgValue>,
  ): readonly NativeValue[] {
    const node = this.#node;
    const { addon, device } = this.#services;
    const native = (tensor: HandlerTensor): NativeTensor =>
      fromTensor(tensor, addon, device, `The result of the handler of ${node.op}`);
    const call = {
      who: "The handler",
      node,
      types: this.#types,
      operand: (name: string) => values.get(name),
      record: this.#record(),
      args,
    };
    return answersOf(returned, call).map((answer) => (isHandlerTensor(answer) ? native(answer) : answer.map(native)));
  }
}

function tensorsIn(values: readonly NativeValue[]): readonly NativeTensor[] {
  return values.flatMap((value) => {
    if (isNativeTensor(value)) return value;
    return Array.isArray(value) ? tensorsIn(value) : [];
  });
}

/** Pairs metas with the tensors that they stand for. */
function pair(meta: ArgValue, value: NativeValue, tensors: Map<ArgValue, NativeTensor>): void {
  if (isNativeTensor(value)) tensors.set(meta, value);
  if (!Array.isArray(value)) return;
  for (const [i, item] of value.entries()) pair((meta as readonly ArgValue[])[i]!, item, tensors);
}
