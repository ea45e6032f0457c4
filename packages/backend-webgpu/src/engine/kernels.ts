import { KernelSet } from "@pt2/backend/staged";
import type { OpName } from "@pt2/graph";
import type { ArgValue, OpRegistry } from "@pt2/registry";
import { isComplexDtype } from "./complex-parts.ts";
import type { WebgpuKernel } from "./kernel.ts";

/** Kernels by op. Calls with complex numbers are only for those that say they take them. */
class WebgpuKernels extends KernelSet<WebgpuKernel> {
  readonly #complex: KernelSet<WebgpuKernel>;

  constructor(kernels: readonly WebgpuKernel[]) {
    super(kernels);
    this.#complex = new KernelSet(kernels.filter(({ complex }) => complex === true));
  }

  override find(op: OpName, args: Readonly<Record<string, ArgValue>>): WebgpuKernel | undefined {
    return Object.values(args).some(isComplex) ? this.#complex.find(op, args) : super.find(op, args);
  }
}

/** The kernels for a registry: those that op packages bring come first. */
export function kernelsOf(registry: OpRegistry, own: readonly WebgpuKernel[]): KernelSet<WebgpuKernel> {
  return new WebgpuKernels([...(registry.kernelsFor("webgpu") as readonly WebgpuKernel[]), ...own]);
}

/** Whether an argument is a complex tensor or number, the name of a complex dtype, or a list with such. */
function isComplex(value: ArgValue | undefined): boolean {
  if (typeof value === "string") return value.startsWith("complex");
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(isComplex);
  return "re" in value || ("dtype" in value && isComplexDtype(value.dtype));
}
