import type { DType } from "@pt2/format";
import type { Call, TensorMeta } from "@pt2/registry";
import type { DeviceBuffer } from "./constant.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { RandomState } from "./random-state.ts";
import type { TensorLayout, TensorView } from "./tensor-view.ts";

/** Memory, copies and constants: what kernels and their shared helpers plan with. */
export interface PlanContext<T extends DeviceTypes> {
  /** Whether the user forbade computations that are faster but round otherwise than the op as written. */
  readonly exact: boolean;
  /** Adds work to each run. */
  step(step: T["step"]): void;
  /** Allocates memory that only this call uses, in bytes of the device. */
  scratch(bytes: number): DeviceBuffer<T["handle"]>;
  /** Allocates a dense temporary tensor that only this call uses. */
  temporary(dtype: DType, shape: readonly number[], strides?: readonly number[]): TensorView<T["handle"]>;
  /** Returns a tensor with these elements, in the dtype's own bytes, which is written once. */
  constant(dtype: DType, shape: readonly number[], data: ArrayBufferView): TensorView<T["handle"]>;
  /**
   * Returns the same elements with these strides, copied only where they differ. A constant is copied once, at load.
   */
  withStrides(view: TensorView<T["handle"]>, strides: readonly number[]): TensorView<T["handle"]>;
  /** Returns the same elements contiguous, copied only where they are not. */
  dense(view: TensorView<T["handle"]>): TensorView<T["handle"]>;
  /**
   * Returns the same values in another dtype, converted only where it differs. A constant is converted once, at load.
   */
  convert(view: TensorView<T["handle"]>, dtype: DType): TensorView<T["handle"]>;
  /** Writes `expr` of the inputs (each broadcasts to `out`) to `out`. */
  elementwise(out: TensorView<T["handle"]>, inputs: readonly TensorView<T["handle"]>[], expr: T["expr"]): void;
  /** Copies elements, and converts them where dtypes differ. The shapes are equal; either side may have any strides. */
  copy(from: TensorView<T["handle"]>, to: TensorView<T["handle"]>): void;
  /**
   * Returns a form of a tensor that the kernel needs (packed panels), as a tensor of its own. Of a constant it is made
   * once, at load, and shared by all plans under `key`; the raw weight leaves memory if nothing else reads it. Of any
   * other tensor it is made in each run. `fill` plans steps that write the whole of `to`. `rework`, where given, plans
   * the same computation in place, in the bytes of the tensor: it serves for a weight that nothing else reads, so that
   * no second buffer is touched.
   */
  prepared(
    view: TensorView<T["handle"]>,
    key: string,
    to: TensorLayout,
    fill: (ctx: T["context"], from: TensorView<T["handle"]>, to: TensorView<T["handle"]>) => void,
    rework?: (ctx: T["context"], at: TensorView<T["handle"]>) => void,
  ): TensorView<T["handle"]>;
  /**
   * Returns state that kernels of the executable share, such as compiled modules; `make` creates it the first time.
   */
  state<State extends object>(make: () => State): State;
  /** What all executables of the backend draw random numbers from. */
  readonly random: RandomState;
}

/** What a kernel plans one call with. */
export interface KernelCall<T extends DeviceTypes> extends PlanContext<T> {
  readonly call: Call;
  /** Returns a tensor argument as it lies in memory. A number given for it becomes a 0-d constant. */
  tensor(argument: TensorMeta): TensorView<T["handle"]>;
  /** Returns a tensor argument as it lies in memory; null when absent. */
  optional(argument: TensorMeta | null | undefined): TensorView<T["handle"]> | null;
  /**
   * Makes result `index`; it is contiguous unless strides (of a dense tensor) are given. A kernel that can write elements
   * between others tells with `takes` which strides it can write with: a result that is joined to others then lies in its part
   * of the whole.
   */
  output(
    index?: number,
    strides?: readonly number[],
    takes?: (strides: readonly number[]) => boolean,
  ): TensorView<T["handle"]>;
  /** Makes the tensors of a `Tensor[]` result. */
  outputs(index?: number): readonly TensorView<T["handle"]>[];
  /** Makes result `index` a view of an existing tensor. */
  alias(index: number, view: TensorView<T["handle"]>): void;
}
