import type { Tensor } from "@pt2/backend";
import type { Arg, Graph, Node } from "@pt2/graph";
import { answersOf, describeNode, type HandlerAnswer } from "@pt2/registry";
import type { NativeValue } from "../addon.ts";
import { callOp } from "../eager/call-op.ts";
import type { OpValue } from "../eager/op-args.ts";
import { hostOperands } from "../encode/encode-program.ts";
import { libtorchError } from "../libtorch-errors.ts";
import { fromTensor, isNativeTensor, toTensor } from "../native-tensor.ts";
import type { HostNode } from "./host-node.ts";
import type { HostServices } from "./host-services.ts";
import type { KernelCalls, LibtorchKernel } from "./kernel.ts";

/** A node that a kernel of an op package runs. */
export class KernelNode implements HostNode {
  readonly #node: Node;
  readonly #kernel: LibtorchKernel;
  readonly #services: HostServices;
  readonly #operands: readonly string[];
  readonly #types: Graph["values"];

  /** `types` are those of the graph's values. */
  constructor(node: Node, kernel: LibtorchKernel, services: HostServices, types: Graph["values"]) {
    this.#node = node;
    this.#kernel = kernel;
    this.#services = services;
    this.#operands = hostOperands(node);
    this.#types = types;
  }

  async run(operands: readonly NativeValue[]): Promise<readonly NativeValue[]> {
    const node = this.#node;
    const { addon, device, router } = this.#services;
    const values = new Map<string, OpValue>();
    for (const [i, name] of this.#operands.entries()) values.set(name, await toValue(operands[i] ?? null));
    const call: KernelCalls["call"] = (op, given) => {
      const answer = callOp(op, given, { addon, dispatcher: router.dispatcher, outputs: "device" });
      // A caller that does not wait for the answer learns of a failure by the kernel's result, not by the end of the
      // process.
      answer.catch(() => {});
      return answer;
    };
    const args = await this.#argsOf(values, call);
    const returned: unknown = await this.#kernel.call(args, { device, call });
    const record = router.registry.resolve(node.op);
    const operand = (name: string): unknown => values.get(name);
    const known = { who: "The kernel", node, types: this.#types, operand, record, args };
    const native = (tensor: Tensor): NativeValue =>
      fromTensor(tensor, addon, device, `The result of the kernel of ${node.op}`);
    return answersOf<Tensor>(returned, known).map((answer) => (isList(answer) ? answer.map(native) : native(answer)));
  }

  runSync(): never {
    throw libtorchError("libtorch.async-handler", {
      what: `The kernel of ${this.#node.op} returns a promise, which a synchronous run cannot wait for`,
      where: describeNode(this.#node),
      advice: "Use run().",
    });
  }

  /** The kernel gets copies of what the op writes to; the program's graph has the nodes that write the results back. */
  async #argsOf(values: ReadonlyMap<string, OpValue>, call: KernelCalls["call"]): Promise<Record<string, OpValue>> {
    const written = this.#services.router.effectsOf(this.#node.op)?.mutates ?? [];
    const args: Record<string, OpValue> = {};
    for (const { name, arg } of this.#node.args) {
      const value = opValue(arg, (each) => values.get(each) ?? null);
      args[name] = written.includes(name) ? await copied(value, call) : value;
    }
    return args;
  }
}

async function copied(value: OpValue, call: KernelCalls["call"]): Promise<OpValue> {
  if (Array.isArray(value)) return await Promise.all(value.map((item: OpValue) => copied(item, call)));
  if (typeof value !== "object" || value === null || !("dtype" in value)) return value;
  const [copy] = await call("aten::clone", { self: value });
  return copy as OpValue;
}

async function toValue(value: NativeValue): Promise<OpValue> {
  if (isNativeTensor(value)) return await toTensor(value, "device");
  return Array.isArray(value) ? await Promise.all(value.map(toValue)) : (value as OpValue);
}

function isList(value: HandlerAnswer<Tensor>): value is readonly Tensor[] {
  return Array.isArray(value);
}

function opValue(arg: Arg, lookup: (name: string) => OpValue): OpValue {
  switch (arg.kind) {
    case "none":
      return null;
    case "value":
      return lookup(arg.name);
    case "list":
      return arg.items.map((item) => opValue(item, lookup));
    case "float":
      return { float: arg.value };
    case "complex":
      return { re: arg.re, im: arg.im };
    case "device":
      return arg.value.index === null ? arg.value.type : `${arg.value.type}:${arg.value.index}`;
    case "operator":
      return arg.op;
    case "graph":
    case "dict":
      return null;
    default:
      return arg.value;
  }
}
