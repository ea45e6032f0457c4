import { isComplexDtype, KernelParts, KernelSet } from "@pt2/engine";
import type { OpName } from "@pt2/graph";
import type { ArgValue, Part } from "@pt2/registry";
import type { WebgpuKernel } from "./kernel.ts";

type Args = Readonly<Record<string, ArgValue>>;

/** Kernels by op. Only kernels that declare it take calls with complex numbers. */
class ComplexKernels extends KernelSet<WebgpuKernel> {
  readonly #complex: KernelSet<WebgpuKernel>;

  constructor(kernels: readonly WebgpuKernel[]) {
    super(kernels);
    this.#complex = new KernelSet(kernels.filter(({ complex }) => complex === true));
  }

  override find(op: OpName, args: Args): WebgpuKernel | undefined {
    return Object.values(args).some(isComplex) ? this.#complex.find(op, args) : super.find(op, args);
  }
}

/** Makes the kernels of the backend from their parts. */
export function kernelParts(parts: readonly Part<WebgpuKernel>[]): KernelParts<WebgpuKernel> {
  return new KernelParts(parts, (kernels) => new ComplexKernels(kernels));
}

/** Whether an argument is a complex tensor or number, the name of a complex dtype, or a list with one. */
function isComplex(value: ArgValue | undefined): boolean {
  if (typeof value === "string") return value.startsWith("complex");
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(isComplex);
  return "re" in value || ("dtype" in value && isComplexDtype(value.dtype));
}
