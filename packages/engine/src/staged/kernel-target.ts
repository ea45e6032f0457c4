import type { LowerTarget } from "@pt2/registry";
import type { KernelTable } from "./kernel-parts.ts";
import type { OpKernel } from "./kernel-set.ts";

/** Returns the ops that a backend runs itself, by its kernels: for lowering, and for `unsupported`. */
export function kernelTarget(name: string, kernels: KernelTable<OpKernel>, maxTensorBytes?: number): LowerTarget {
  return {
    name,
    ...(maxTensorBytes === undefined ? {} : { maxTensorBytes }),
    isNative(op, args) {
      const kernel = kernels.find(op, args);
      return kernel === null ? null : kernel !== undefined;
    },
    loadKernels: (op) => kernels.load(op),
  };
}
