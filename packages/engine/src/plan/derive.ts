import { numel } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { type Awaitable, whenReady } from "../staged/awaitable.ts";
import type { DeviceBuffer } from "./constant.ts";
import { ConstantWork } from "./constant-work.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { PlanDevice } from "./plan-device.ts";
import { type TensorLayout, type TensorView, viewKey, viewOf } from "./tensor-view.ts";

/** How a constant is computed from others. `Planning` is `void`, or a promise where the plan loads code. */
export interface ConstantPlan<T extends DeviceTypes, Planning = void> {
  /** What is computed. Together with the views that it is computed from, the key identifies the constant. */
  readonly key: string;
  /** What `explain` calls it. */
  readonly label: string;
  readonly from: readonly TensorView<T["handle"]>[];
  readonly to: TensorLayout;
  plan(target: ConstantWork<T>, to: TensorView<T["handle"]>): Planning;
  /** Plans the same computation in place, in the bytes of the only input. */
  rework?: ((target: ConstantWork<T>, at: TensorView<T["handle"]>) => void) | undefined;
}

/**
 * Returns the constant that a plan computes from others; the same computation on the same inputs is the same constant.
 */
export function deriveConstant<T extends DeviceTypes>(
  device: PlanDevice<T>,
  plan: ConstantPlan<T>,
): TensorView<T["handle"]>;
export function deriveConstant<T extends DeviceTypes>(
  device: PlanDevice<T>,
  plan: ConstantPlan<T, Awaitable<void>>,
): Awaitable<TensorView<T["handle"]>>;
export function deriveConstant<T extends DeviceTypes>(
  device: PlanDevice<T>,
  { key, label, from, to, plan, rework }: ConstantPlan<T, Awaitable<void>>,
): Awaitable<TensorView<T["handle"]>> {
  const { dtype, shape, strides } = to;
  const build = (buffer: DeviceBuffer<T["handle"]>): Awaitable<ConstantWork<T>> => {
    const work = new ConstantWork(device);
    for (const { buffer: read } of from) work.reads(read);
    return whenReady(plan(work, viewOf(buffer, to)), () => work);
  };
  const inPlace =
    rework &&
    ((buffer: DeviceBuffer<T["handle"]>): ConstantWork<T> => {
      const work = new ConstantWork(device);
      rework(work, viewOf(buffer, to));
      return work;
    });
  const name = `${key}|${from.map(viewKey).join(",")}|${dtype}[${shape}]${strides === undefined ? "" : `/${strides}`}`;
  const constant = device.constants.derive(name, bytesOf(device, dtype, shape), label, build, inPlace);
  return whenReady(constant, (made) => viewOf(made, to));
}

/** Returns the constant with these elements, in the dtype's own bytes. Equal literals are one constant. */
export function literalConstant<T extends DeviceTypes>(
  device: PlanDevice<T>,
  to: TensorLayout,
  data: ArrayBufferView,
): TensorView<T["handle"]> {
  const { dtype, shape } = to;
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const constant = device.constants.derive(
    `${dtype}[${shape}]=${keyOfBytes(bytes)}`,
    bytesOf(device, dtype, shape),
    "constant",
    (buffer) => ({
      inputs: [],
      temporaries: [],
      run: () => device.write(viewOf(buffer, to), bytes, "a constant"),
    }),
  );
  return viewOf(constant, to);
}

/** Returns the number of bytes that the elements of a tensor take as the device stores them. */
export function bytesOf<T extends DeviceTypes>(
  device: Pick<PlanDevice<T>, "itemsize">,
  dtype: DType,
  shape: readonly number[],
): number {
  return numel(shape) * device.itemsize(dtype);
}

let literals = 0;

/** Returns equal keys for equal short bytes; long ones get different keys without being compared. */
function keyOfBytes(bytes: Uint8Array): string {
  return bytes.byteLength <= 64 ? bytes.join() : `literal ${literals++}`;
}
