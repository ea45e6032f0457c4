import { loadHostKernels } from "@pt2/engine";
import type { WasmKernel } from "../engine/kernel.ts";
import { hostKernel } from "./host-kernel.ts";

/** Loads the kernels of all backends for rare ops, which compute on copies of their tensors. */
export async function hostKernels(): Promise<readonly WasmKernel[]> {
  return (await loadHostKernels()).map(hostKernel);
}
