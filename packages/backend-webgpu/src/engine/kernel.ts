import type { DType } from "@pt2/format";
import type { OpName } from "@pt2/graph";
import type { ArgValue, Call } from "@pt2/registry";
import type { Shader } from "../shader/shader.ts";
import type { ElementExpr } from "../wgsl/scalar.ts";
import type { Adapter } from "./adapter.ts";
import type { Buffer } from "./constant.ts";
import type { Place } from "./place.ts";
import type { HostStep } from "./step-sink.ts";

/** How one or several ops run here. One family of ops, one file in `kernels/`. */
export interface WebgpuKernel {
  readonly ops: readonly OpName[];
  /** Whether it takes these arguments; the op's decomposition is used when not. Default: it does. */
  accepts?(args: Readonly<Record<string, ArgValue>>): boolean;
  /**
   * Whether it takes complex numbers too, which are `vec2<f32>` in shaders: it only moves elements, or knows what they
   * are. Default: it does not, and the op's decomposition is used for them.
   */
  readonly complex?: boolean;
  /** Plans the call: makes its results, and adds the shaders that compute them. */
  prepare(call: KernelCall): void;
  /**
   * Whether result 0 is written once per element, through `shader.result(0)`: elementwise ops that follow may then be
   * computed where it is written. Default: false.
   */
  readonly fuses?: boolean | ((args: Readonly<Record<string, ArgValue>>) => boolean);
}

/** What a kernel plans one call with. */
export interface KernelCall extends PlanContext {
  readonly call: Call;
  /** Argument by schema name; tensors as metas. */
  arg<T = ArgValue>(name: string): T;
  /** A tensor argument as it lies in memory. A number given for it becomes a 0-d constant. */
  tensor(name: string): Place;
  /** A tensor argument as it lies in memory, null when absent. */
  optional(name: string): Place | null;
  /** Tensors of a `Tensor[]` argument. */
  tensors(name: string): readonly Place[];
  /** Tensors of a `Tensor?[]` argument, null where absent. */
  tensorList(name: string): readonly (Place | null)[];
  /** Makes the n-th result in row-major order; `shader.result` does this by itself. */
  output(index?: number): Place;
  /** Makes the tensors of a `Tensor[]` result. */
  outputs(index?: number): readonly Place[];
  /** Makes the n-th result a view of something that exists. */
  alias(index: number, place: Place): void;
}

/** Shaders, memory and copies, for kernels and the helpers that they share. */
export interface PlanContext {
  readonly adapter: Adapter;
  /** Whether the user forbade what is fast but rounds otherwise than the op as it is written. */
  readonly exact: boolean;
  /** Begins a shader, which becomes a dispatch of each run. `name` says what it does: `matmul 64x64`. */
  shader(name: string): Shader;
  /** Memory that only this call uses, in bytes of the GPU. */
  scratch(bytes: number): Buffer;
  /** A row-major temporary tensor that only this call uses. */
  temporary(dtype: DType, shape: readonly number[]): Place;
  /** A tensor of these elements, in the dtype's own bytes, uploaded once. */
  constant(dtype: DType, shape: readonly number[], data: ArrayBufferView): Place;
  /** The same elements row-major; a copy only where they are not. A constant is copied once, at load. */
  dense(place: Place): Place;
  /** The same values in another dtype; a conversion only where it differs. A constant is converted once, at load. */
  convert(place: Place, dtype: DType): Place;
  /** Writes `expr` of the inputs (each broadcasts to `out`) to `out`. */
  elementwise(out: Place, inputs: readonly Place[], expr: ElementExpr): void;
  /** Work on the host in the middle of a run: it waits for the GPU, so it is for what is rare and small. */
  host(step: HostStep): void;
  /** The source of random numbers of this executable; `make` gives it when there is none yet. */
  random<T extends object>(make: () => T): T;
  /** Copies elements, converted where dtypes differ. Shapes are equal; either side may have any strides. */
  copy(from: Place, to: Place): void;
  /**
   * What a kernel makes of a tensor before it can use it (a packed weight), as a tensor of its own: from a constant once,
   * at load, shared by all plans under `key`, the raw weight leaving memory if nothing else reads it; otherwise on
   * each run. `fill` plans shaders that write the whole of `to`.
   */
  prepared(
    place: Place,
    key: string,
    to: { readonly dtype: DType; readonly shape: readonly number[] },
    fill: (ctx: PlanContext, from: Place, to: Place) => void,
  ): Place;
}
