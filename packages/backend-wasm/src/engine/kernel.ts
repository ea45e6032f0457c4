import type { Clamp, OpKernel } from "@pt2/engine";
import type { DType } from "@pt2/format";
import type { ArgValue, Call } from "@pt2/registry";
import type { TypedExpr } from "@pt2/registry/scalar";
import type { Kernels } from "../kernels.gen.ts";
import type { Heap } from "./heap.ts";
import type { Buffer, Place } from "./place.ts";

/** How one or several ops run here. One family of ops, one file in `kernels/`. */
export interface WasmKernel extends OpKernel {
  /** Plans the call: allocates its results and adds what runs on each forward. */
  prepare(call: KernelCall): void;
  /** Whether it clamps its (float32) results to `call.clamp` while they are in registers. */
  readonly clamps?: (args: Readonly<Record<string, ArgValue>>) => boolean;
}

/** What a kernel plans with. Addresses (`addressOf(place)`) are valid only inside functions given to `step`. */
export interface KernelCall extends PlanContext {
  readonly call: Call;
  /** Argument by schema name; tensors as metas. */
  arg<T = ArgValue>(name: string): T;
  /** A tensor argument as it lies in memory, null when absent. */
  optional(name: string): Place | null;
  /** A tensor argument as it lies in memory. A number given for it becomes a 0-d constant. */
  tensor(name: string): Place;
  /** Tensors of a `Tensor[]` argument. */
  tensors(name: string): readonly Place[];
  /** Tensors of a `Tensor?[]` argument, null where absent. */
  tensorList(name: string): readonly (Place | null)[];
  /** Allocates the n-th result; row-major unless strides (of a dense tensor) are given. */
  output(index?: number, strides?: readonly number[]): Place;
  /** Allocates the tensors of a `Tensor[]` result. */
  outputs(index?: number): readonly Place[];
  /** Makes the n-th result a view of something that exists. */
  alias(index: number, place: Place): void;
  /** Bounds for the results of a kernel that said `epilogue`; infinite when there is nothing to clamp. */
  readonly clamp: Clamp;
}

/** Memory and steps, for kernels and the helpers that they share. */
export interface PlanContext {
  readonly heap: Heap;
  readonly kernels: Kernels;
  /** Whether the user forbade what is fast but rounds otherwise than the op as it is written. */
  readonly exact: boolean;
  /** Adds work to each forward. */
  step(run: () => void): void;
  /** Memory that only this call uses. */
  scratch(bytes: number): Buffer;
  /** A dense temporary tensor that only this call uses. */
  temporary(dtype: DType, shape: readonly number[], strides?: readonly number[]): Place;
  /** The same elements with these strides; a copy only where they differ. A constant is copied once, at load. */
  withStrides(place: Place, strides: readonly number[]): Place;
  /** The same elements row-major; a copy only where they are not. */
  dense(place: Place): Place;
  /** The same values in another dtype; a conversion only where it differs. A constant is converted once, at load. */
  convert(place: Place, dtype: DType): Place;
  /** Writes `expr` of the inputs (broadcast to `out`) to `out`. */
  elementwise(out: Place, inputs: readonly Place[], expr: TypedExpr): void;
  /** Copies elements; shapes are equal, dtypes too. */
  copy(from: Place, to: Place): void;
  /**
   * What a kernel makes of a tensor before it can use it (packed panels). From a constant it is made once, at load,
   * and shared by all plans under `key`; otherwise on each forward. `rework`, where there is one, does the same where
   * the bytes of a tensor are: used for a weight that nothing else reads, so that no second memory is touched.
   */
  prepared(
    place: Place,
    key: string,
    bytes: number,
    fill: (ctx: PlanContext, from: Place, to: Buffer) => void,
    rework?: (ctx: PlanContext, at: Buffer) => void,
  ): Buffer;
}
