import type { KernelSet } from "@pt2/engine";
import type { Constant } from "./constant.ts";
import type { ConstantPool } from "./constant-pool.ts";
import type { WasmKernel } from "./kernel.ts";
import type { Arena } from "./place.ts";
import type { Services } from "./services.ts";

/** What all plans of one executable share. */
export interface ExecutableState {
  readonly services: Services;
  readonly constants: ConstantPool;
  readonly kernels: KernelSet<WasmKernel>;
  readonly arena: Arena;
  /** Brings what a plan needs into memory, with progress. */
  settle(constants: readonly Constant[]): Promise<void>;
}
