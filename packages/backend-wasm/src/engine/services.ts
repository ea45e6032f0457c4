import type { TypedExpr } from "@pt2/registry/scalar";
import type { Kernels } from "../kernels.gen.ts";
import type { Buffer, Constant } from "./constant.ts";
import type { Heap } from "./heap.ts";
import type { PlanContext } from "./kernel.ts";
import type { Place } from "./place.ts";
import type { StepSink } from "./step-sink.ts";

/** What all plans of one executable share. */
export interface Services {
  readonly heap: Heap;
  readonly kernels: Kernels;
  readonly constants: ConstantSource;
  /** Whether rewrites that change bits are forbidden: `precision: "exact"`. */
  readonly exact: boolean;
  /** Plans an elementwise loop; its code is compiled by the next `compiled()`. */
  elementwise(ctx: PlanContext, out: Place, inputs: readonly Place[], expr: TypedExpr): void;
  /** Plans a copy between strides. */
  copy(ctx: PlanContext, from: Place, to: Place): void;
  /** Compiles what was generated since the last call. */
  compiled(): Promise<void>;
}

/** Values that depend on weights alone. */
export interface ConstantSource {
  /**
   * The constant that `build` computes from `inputs`, which the same `key` always names. `build` plans with the context
   * it is given, once; the planned steps run when the constant is needed. So with `rework`, which does the same where
   * the bytes of the only input are.
   */
  derive(
    key: string,
    bytes: number,
    inputs: readonly Constant[],
    build: (ctx: ConstantContext, to: Buffer) => void,
    rework?: (ctx: PlanContext, at: Buffer) => void,
  ): Constant;
}

/** What a constant's computation is planned with. */
export interface ConstantContext extends PlanContext {
  readonly sink: StepSink;
}
