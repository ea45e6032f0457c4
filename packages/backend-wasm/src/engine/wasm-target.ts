import { type Abilities, hasDynamicKernel, type KernelTable } from "@pt2/engine";
import type { DType } from "@pt2/format";
import type { LowerTarget, OpRegistry } from "@pt2/registry";
import { KERNEL_PARTS } from "../kernels/kernels-on-demand.ts";
import type { WasmKernel } from "./kernel.ts";
import { LIMITS } from "./limits.ts";

/** Returns the kernels for a registry: those of op packages come first. */
export function kernelsOf(registry: OpRegistry): KernelTable<WasmKernel> {
  return KERNEL_PARTS.for(registry, "wasm");
}

/** Returns the ops that the backend runs itself. */
export function targetOf(kernels: KernelTable<WasmKernel>): LowerTarget {
  return kernels.target(LIMITS.tensorBytes);
}

/** Returns what `unsupported` is computed from. */
export function abilitiesOf(registry: OpRegistry, dtypes: readonly DType[]): Abilities {
  return { target: targetOf(kernelsOf(registry)), dtypes, hasDynamicKernel };
}
