import type { Abilities } from "@pt2/engine";
import { hasDynamicKernel, KernelSet } from "@pt2/engine";
import type { DType } from "@pt2/format";
import type { ArgValue, LowerTarget, OpRegistry } from "@pt2/registry";
import { KERNELS } from "../kernels/all-kernels.ts";
import type { WasmKernel } from "./kernel.ts";
import { LIMITS } from "./limits.ts";

/** Returns the kernels for a registry: those of op packages come first. */
export function kernelsOf(registry: OpRegistry): KernelSet<WasmKernel> {
  const brought = new Set(registry.kernelsFor("wasm") as readonly WasmKernel[]);
  // The kernels here do not compute an op that an op set has replaced.
  const serves = (op: string, kernel: WasmKernel): boolean => brought.has(kernel) || !registry.isReplaced(op);
  return new KernelSet([...brought, ...KERNELS], serves);
}

/** Returns the ops that the backend runs itself. */
export function targetOf(kernels: KernelSet<WasmKernel>): LowerTarget {
  return {
    name: "wasm",
    maxTensorBytes: LIMITS.tensorBytes,
    isNative: (op: string, args: Readonly<Record<string, ArgValue>>) => kernels.find(op, args) !== undefined,
  };
}

/** Returns what `unsupported` is computed from. */
export function abilitiesOf(registry: OpRegistry, dtypes: readonly DType[]): Abilities {
  return { target: targetOf(kernelsOf(registry)), dtypes, hasDynamicKernel };
}
