import type { Tensor } from "@pt2/backend";
import type { Arg, Node } from "@pt2/graph";
import { describeNode } from "@pt2/registry";
import type { NativeValue } from "../addon.ts";
import { callOp } from "../eager/call-op.ts";
import type { OpArgs, OpValue } from "../eager/op-args.ts";
import { hostOperands } from "../encode/encode-program.ts";
import { libtorchError } from "../libtorch-errors.ts";
import { fromTensor, isNativeTensor, toTensor } from "../native-tensor.ts";
import { type HostNode, requireResults } from "./host-node.ts";
import type { HostServices } from "./host-services.ts";
import type { KernelCalls, LibtorchKernel } from "./kernel.ts";

/** A node that a kernel of an op package runs. */
export class KernelNode implements HostNode {
  readonly #node: Node;
  readonly #kernel: LibtorchKernel;
  readonly #services: HostServices;
  readonly #operands: readonly string[];

  constructor(node: Node, kernel: LibtorchKernel, services: HostServices) {
    this.#node = node;
    this.#kernel = kernel;
    this.#services = services;
    this.#operands = hostOperands(node);
  }

  async run(operands: readonly NativeValue[]): Promise<readonly NativeValue[]> {
    const { addon, device, router } = this.#services;
    const values = new Map<string, OpValue>();
    for (const [i, name] of this.#operands.entries()) values.set(name, await toValue(operands[i] ?? null));
    const args: OpArgs = Object.fromEntries(
      this.#node.args.map(({ name, arg }) => [name, opValue(arg, (each) => values.get(each) ?? null)]),
    );
    const torch: KernelCalls = {
      device,
      call: (op, given) => callOp(op, given, { addon, dispatcher: router.dispatcher, outputs: "device" }),
    };
    const results = await this.#kernel.call(args, torch);
    const what = `The result of the kernel of ${this.#node.op}`;
    return requireResults(results, this.#node, "The kernel").map((result) =>
      isList(result)
        ? result.map((item) => fromTensor(item, addon, device, what))
        : fromTensor(result, addon, device, what),
    );
  }

  runSync(): never {
    throw libtorchError("libtorch.async-handler", {
      what: `The kernel of ${this.#node.op} answers later, which a run on the calling thread cannot wait for`,
      where: describeNode(this.#node),
      advice: "Use run().",
    });
  }
}

async function toValue(value: NativeValue): Promise<OpValue> {
  if (isNativeTensor(value)) return await toTensor(value, "device");
  return Array.isArray(value) ? await Promise.all(value.map(toValue)) : (value as OpValue);
}

function isList(value: Tensor | readonly Tensor[]): value is readonly Tensor[] {
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
