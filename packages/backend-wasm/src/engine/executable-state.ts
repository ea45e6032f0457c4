import type { LowerOptions } from "@pt2/registry";
import type { Constant } from "./constant.ts";
import type { ConstantPool } from "./constant-pool.ts";
import type { DynamicKernel } from "./dynamic-kernel.ts";
import type { KernelSet } from "./kernel-set.ts";
import type { Arena } from "./place.ts";
import type { Services } from "./services.ts";

/** What all graphs of one executable share. */
export interface ExecutableState {
  readonly services: Services;
  readonly constants: ConstantPool;
  readonly kernels: KernelSet;
  readonly arena: Arena;
  readonly lowerOptions: LowerOptions;
  /** Ops that run on host data because their results' sizes depend on it. */
  readonly dynamic: ReadonlyMap<string, DynamicKernel>;
  /** How many stages are planned, in all graphs. */
  readonly stages: { count: number };
  /** Brings what a plan needs into memory, with progress. */
  settle(constants: readonly Constant[]): Promise<void>;
}
