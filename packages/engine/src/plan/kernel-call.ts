import type { DType } from "@pt2/format";
import type { ArgValue, Call } from "@pt2/registry";
import type { DeviceBuffer } from "./constant.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { TensorLayout, TensorView } from "./tensor-view.ts";

/** Memory, copies and constants: what kernels and the helpers that they share plan with. */
export interface PlanContext<T extends DeviceTypes> {
  /** Whether the user forbade what is fast but rounds otherwise than the op as it is written. */
  readonly exact: boolean;
  /** Adds work to each run. */
  step(step: T["step"]): void;
  /** Memory that only this call uses, in bytes of the device. */
  scratch(bytes: number): DeviceBuffer<T["handle"]>;
  /** A dense temporary tensor that only this call uses. */
  temporary(dtype: DType, shape: readonly number[], strides?: readonly number[]): TensorView<T["handle"]>;
  /** A tensor of these elements, in the dtype's own bytes, which is written once. */
  constant(dtype: DType, shape: readonly number[], data: ArrayBufferView): TensorView<T["handle"]>;
  /** The same elements with these strides; a copy only where they differ. A constant is copied once, at load. */
  withStrides(view: TensorView<T["handle"]>, strides: readonly number[]): TensorView<T["handle"]>;
  /** The same elements contiguous; a copy only where they are not. */
  dense(view: TensorView<T["handle"]>): TensorView<T["handle"]>;
  /** The same values in another dtype; a conversion only where it differs. A constant is converted once, at load. */
  convert(view: TensorView<T["handle"]>, dtype: DType): TensorView<T["handle"]>;
  /** Writes `expr` of the inputs (each broadcasts to `out`) to `out`. */
  elementwise(out: TensorView<T["handle"]>, inputs: readonly TensorView<T["handle"]>[], expr: T["expr"]): void;
  /** Copies elements, converted where dtypes differ. Shapes are equal; either side may have any strides. */
  copy(from: TensorView<T["handle"]>, to: TensorView<T["handle"]>): void;
  /**
   * What a kernel makes of a tensor before it can use it (packed panels), as a tensor of its own: from a constant once,
   * at load, shared by all plans under `key`, the raw weight leaving memory if nothing else reads it; otherwise on each
   * run. `fill` plans steps that write the whole of `to`. `rework`, where there is one, plans the same where the bytes of
   * the tensor are: used for a weight that nothing else reads, so that no second memory is touched.
   */
  prepared(
    view: TensorView<T["handle"]>,
    key: string,
    to: TensorLayout,
    fill: (ctx: T["context"], from: TensorView<T["handle"]>, to: TensorView<T["handle"]>) => void,
    rework?: (ctx: T["context"], at: TensorView<T["handle"]>) => void,
  ): TensorView<T["handle"]>;
  /** What kernels of the executable share, a source of random numbers for one; `make` gives it when there is none yet. */
  state<State extends object>(make: () => State): State;
}

/** What a kernel plans one call with. */
export interface KernelCall<T extends DeviceTypes> extends PlanContext<T> {
  readonly call: Call;
  /** Argument by schema name; tensors as metas. */
  arg<Arg = ArgValue>(name: string): Arg;
  /** A tensor argument as it lies in memory. A number given for it becomes a 0-d constant. */
  tensor(name: string): TensorView<T["handle"]>;
  /** A tensor argument as it lies in memory, null when absent. */
  optional(name: string): TensorView<T["handle"]> | null;
  /** Tensors of a `Tensor[]` argument. */
  tensors(name: string): readonly TensorView<T["handle"]>[];
  /** Tensors of a `Tensor?[]` argument, null where absent. */
  tensorList(name: string): readonly (TensorView<T["handle"]> | null)[];
  /** Makes the n-th result; contiguous unless strides (of a dense tensor) are given. */
  output(index?: number, strides?: readonly number[]): TensorView<T["handle"]>;
  /** Makes the tensors of a `Tensor[]` result. */
  outputs(index?: number): readonly TensorView<T["handle"]>[];
  /** Makes the n-th result a view of something that exists. */
  alias(index: number, view: TensorView<T["handle"]>): void;
}
