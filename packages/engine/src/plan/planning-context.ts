import { backendError, numel } from "@pt2/backend";
import { contiguousStrides, type DType } from "@pt2/format";
import { type Call, isTensor, type LoweredTensor, type TensorMeta } from "@pt2/registry";
import { elementBytes } from "../staged/element-bytes.ts";
import { numberOf } from "../staged/run-value.ts";
import { sameStrides } from "../strides/layout.ts";
import type { DeviceBuffer } from "./constant.ts";
import { bytesOf, deriveConstant, literalConstant } from "./derive.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { KernelCall } from "./kernel-call.ts";
import type { PlanDevice, PlannedCall, PlanTarget } from "./plan-device.ts";
import type { RandomState } from "./random-state.ts";
import { sameView, type TensorLayout, type TensorView, viewOf } from "./tensor-view.ts";

/** What kernels plan with, for a plan or for the computation of a constant. Devices add methods of their own. */
export class PlanningContext<T extends DeviceTypes> implements KernelCall<T> {
  protected readonly device: PlanDevice<T>;
  protected readonly target: PlanTarget<T>;
  readonly #planned: PlannedCall<T> | undefined;

  constructor(device: PlanDevice<T>, target: PlanTarget<T>, planned?: PlannedCall<T>) {
    this.device = device;
    this.target = target;
    this.#planned = planned;
  }

  /** The call that is being planned. */
  protected get planned(): PlannedCall<T> {
    if (this.#planned !== undefined) return this.#planned;
    throw backendError("backend.internal", { what: "Only a call has arguments and results" });
  }

  get exact(): boolean {
    return this.device.exact;
  }

  get call(): Call {
    return this.planned.call;
  }

  step(step: T["step"]): void {
    this.target.add(step);
  }

  scratch(bytes: number): DeviceBuffer<T["handle"]> {
    return this.target.allocate(bytes);
  }

  temporary(
    dtype: DType,
    shape: readonly number[],
    strides: readonly number[] = contiguousStrides(shape),
  ): TensorView<T["handle"]> {
    return viewOf(this.scratch(bytesOf(this.device, dtype, shape)), { dtype, shape, strides });
  }

  constant(dtype: DType, shape: readonly number[], data: ArrayBufferView): TensorView<T["handle"]> {
    return this.#read(literalConstant(this.device, { dtype, shape }, data));
  }

  withStrides(view: TensorView<T["handle"]>, strides: readonly number[]): TensorView<T["handle"]> {
    if (sameStrides(view.shape, view.strides, strides)) return { ...view, strides };
    return this.#copied(view, "dense", { ...view, strides });
  }

  dense(view: TensorView<T["handle"]>): TensorView<T["handle"]> {
    return this.withStrides(view, contiguousStrides(view.shape));
  }

  convert(view: TensorView<T["handle"]>, dtype: DType): TensorView<T["handle"]> {
    return view.dtype === dtype ? view : this.#copied(view, "cast", { dtype, shape: view.shape });
  }

  copy(from: TensorView<T["handle"]>, to: TensorView<T["handle"]>): void {
    // What is joined may have been computed where it belongs.
    if (numel(from.shape) > 0 && !sameView(from, to)) this.device.copy(this.#own, from, to);
  }

  elementwise(out: TensorView<T["handle"]>, inputs: readonly TensorView<T["handle"]>[], expr: T["expr"]): void {
    if (numel(out.shape) > 0) this.device.elementwise(this.#own, out, inputs, expr);
  }

  prepared(
    view: TensorView<T["handle"]>,
    key: string,
    to: TensorLayout,
    fill: (ctx: T["context"], from: TensorView<T["handle"]>, to: TensorView<T["handle"]>) => void,
    rework?: (ctx: T["context"], at: TensorView<T["handle"]>) => void,
  ): TensorView<T["handle"]> {
    const source = view.buffer.constant;
    const { device, target } = this;
    const { dtype, shape } = to;
    if (source === null) {
      const out = this.temporary(dtype, shape, to.strides);
      fill(this.#own, view, out);
      return out;
    }
    const bytes = bytesOf(device, dtype, shape);
    const isWhole = bytesOf(device, view.dtype, view.shape) === bytes && source.bytes === bytes;
    const made = deriveConstant(device, {
      key,
      label: key,
      from: [view],
      to,
      plan: (into, out) => fill(device.context(into), view, out),
      rework: isWhole && rework ? (into, at) => rework(device.context(into), at) : undefined,
    });
    target.unreads(source);
    return this.#read(made);
  }

  state<State extends object>(make: () => State): State {
    const { state } = this.device;
    const known = state.get(make) ?? make();
    state.set(make, known);
    return known as State;
  }

  get random(): RandomState {
    return this.device.random;
  }

  tensor(argument: TensorMeta): TensorView<T["handle"]> {
    if (isTensor(argument)) return this.#read(this.planned.table.get(argument)!);
    if (argument?.wrapped === undefined) {
      throw backendError("backend.internal", {
        what: `${this.call.record.name}: a kernel reads a tensor argument that is a ${typeof argument}`,
      });
    }
    return this.constant(argument.dtype, [], elementBytes(argument.dtype, numberOf(argument.wrapped)));
  }

  optional(argument: TensorMeta | null | undefined): TensorView<T["handle"]> | null {
    return argument === null || argument === undefined ? null : this.tensor(argument);
  }

  output(
    index = 0,
    strides?: readonly number[],
    takes?: (strides: readonly number[]) => boolean,
  ): TensorView<T["handle"]> {
    const { epilogue } = this.planned;
    const result = this.#result(index);
    return this.#made(index === 0 && epilogue !== null ? epilogue.output : result, strides, takes);
  }

  outputs(index = 0): readonly TensorView<T["handle"]>[] {
    const list = this.call.results[index];
    if (Array.isArray(list)) return (list as readonly LoweredTensor[]).map((tensor) => this.#made(tensor));
    throw new RangeError(`result ${index} is not a list of tensors`);
  }

  alias(index: number, view: TensorView<T["handle"]>): void {
    this.planned.table.set(this.#result(index), view);
  }

  #result(index: number): LoweredTensor {
    const result = this.call.results[index];
    if (isTensor(result)) return result;
    throw new RangeError(`result ${index} is not a tensor`);
  }

  /** This context as the device's type: a device's context is a subclass of this one. */
  get #own(): T["context"] {
    return this;
  }

  #copied(
    view: TensorView<T["handle"]>,
    key: string,
    { dtype, shape, strides }: TensorLayout,
  ): TensorView<T["handle"]> {
    const to = strides === undefined ? { dtype, shape } : { dtype, shape, strides };
    return this.prepared(view, key, to, (ctx, from, out) => {
      if (numel(shape) > 0) this.device.copy(ctx, from, out);
    });
  }

  #read(view: TensorView<T["handle"]>): TensorView<T["handle"]> {
    this.target.reads(view.buffer);
    return view;
  }

  /** Returns the memory of a result, which may be allocated already. */
  #made(
    tensor: LoweredTensor,
    strides: readonly number[] = contiguousStrides(tensor.shape),
    takes?: (strides: readonly number[]) => boolean,
  ): TensorView<T["handle"]> {
    const { table } = this.planned;
    const { dtype, shape } = tensor;
    const known = table.get(tensor);
    if (known !== undefined && (sameStrides(shape, known.strides, strides) || takes?.(known.strides))) return known;
    const part = takes && table.partFor?.(tensor, strides, takes);
    const view = part ?? this.temporary(dtype, shape, strides);
    table.set(tensor, view);
    return view;
  }
}
