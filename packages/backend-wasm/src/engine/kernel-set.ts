import type { OpName } from "@pt2/graph";
import type { ArgValue, Call } from "@pt2/registry";
import type { WasmKernel } from "./kernel.ts";

/** The kernels by op. Several may serve one op; the first that accepts the arguments takes the call. */
export class KernelSet {
  readonly #byOp = new Map<OpName, WasmKernel[]>();

  /** Earlier kernels are asked first: fast ones for few dtypes before general ones. */
  constructor(kernels: readonly WasmKernel[]) {
    for (const kernel of kernels) {
      for (const op of kernel.ops) {
        const list = this.#byOp.get(op);
        if (list === undefined) this.#byOp.set(op, [kernel]);
        else list.push(kernel);
      }
    }
  }

  /** The kernel that takes these arguments. */
  find(op: OpName, args: Readonly<Record<string, ArgValue>>): WasmKernel | undefined {
    return this.#byOp.get(op)?.find((kernel) => kernel.accepts?.(args) ?? true);
  }

  get(call: Call): WasmKernel | undefined {
    return this.find(call.record.name, call.args);
  }

  get ops(): readonly OpName[] {
    return [...this.#byOp.keys()];
  }
}
