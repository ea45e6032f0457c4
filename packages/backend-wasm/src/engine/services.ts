import type { TypedExpr } from "@pt2/registry/scalar";
import type { Kernels } from "../kernels.gen.ts";
import type { ConstantPool } from "./constant-pool.ts";
import type { Context } from "./context.ts";
import type { Heap } from "./heap.ts";
import type { Place } from "./place.ts";

/** What all plans of one executable share. */
export interface Services {
  readonly heap: Heap;
  readonly kernels: Kernels;
  readonly constants: ConstantPool;
  /** Plans an elementwise loop; its code is compiled by the next `compiled()`. */
  elementwise(ctx: Context, out: Place, inputs: readonly Place[], expr: TypedExpr): void;
  /** Plans a copy between strides. */
  copy(ctx: Context, from: Place, to: Place): void;
  /** Compiles what was generated since the last call. */
  compiled(): Promise<void>;
}
