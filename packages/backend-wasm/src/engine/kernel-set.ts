import type { OpName } from "@pt2/graph";
import type { ArgValue, Call } from "@pt2/registry";
import type { WasmKernel } from "./kernel.ts";

/** The kernels by op. */
export class KernelSet {
  readonly #byOp = new Map<OpName, WasmKernel>();

  /** Earlier kernels win: those of op packages come before the backend's own. */
  constructor(kernels: readonly WasmKernel[]) {
    for (const kernel of kernels) for (const op of kernel.ops) if (!this.#byOp.has(op)) this.#byOp.set(op, kernel);
  }

  /** Whether a kernel takes these arguments. */
  accepts(op: OpName, args: Readonly<Record<string, ArgValue>>): boolean {
    const kernel = this.#byOp.get(op);
    return kernel !== undefined && (kernel.accepts?.(args) ?? true);
  }

  get(call: Call): WasmKernel | undefined {
    return this.#byOp.get(call.record.name);
  }

  get ops(): readonly OpName[] {
    return [...this.#byOp.keys()];
  }
}
