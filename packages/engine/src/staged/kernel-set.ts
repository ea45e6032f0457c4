import type { OpName } from "@pt2/graph";
import type { ArgValue, Call } from "@pt2/registry";
import { isBareUnsigned } from "@pt2/registry/scalar";

/** What decides which calls a kernel takes. */
export interface OpKernel<Args = Call["args"]> {
  readonly ops: readonly OpName[];
  /** Whether it takes these arguments; otherwise the op is decomposed. Default: yes. */
  accepts?(args: Args): boolean;
  /** Whether it takes uint16, uint32 and uint64, which most kernels of PyTorch do not take either. */
  readonly unsigned?: true;
}

/** The kernels by op. Several may serve one op; the first that accepts the arguments takes the call. */
export class KernelSet<Kernel extends OpKernel> {
  readonly #byOp = new Map<OpName, Kernel[]>();

  /** Earlier kernels come first, so fast ones for few dtypes precede general ones. */
  constructor(kernels: readonly Kernel[]) {
    for (const kernel of kernels) {
      for (const op of kernel.ops) {
        const list = this.#byOp.get(op);
        if (list === undefined) this.#byOp.set(op, [kernel]);
        else list.push(kernel);
      }
    }
  }

  /** Finds the kernel that takes these arguments. */
  find(op: OpName, args: Readonly<Record<string, ArgValue>>): Kernel | undefined {
    const takes = (kernel: Kernel): boolean =>
      (kernel.accepts?.(args) ?? true) && (kernel.unsigned === true || !Object.values(args).some(isBareUnsigned));
    return this.#byOp.get(op)?.find(takes);
  }

  get(call: Call): Kernel | undefined {
    return this.find(call.record.name, call.args);
  }

  get ops(): readonly OpName[] {
    return [...this.#byOp.keys()];
  }
}
