import { sameShape } from "@pt2/format";
import { type LoweredTensor, tensorsIn } from "@pt2/registry";
import { type KernelProblem, kernelError } from "../kernel-error.ts";
import { type Awaitable, whenReady } from "../staged/awaitable.ts";
import { reachBeyond } from "../strides/inside.ts";
import type { DeviceBuffer } from "./constant.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { PlanDevice, PlannedCall, PlanTarget } from "./plan-device.ts";
import type { TensorView } from "./tensor-view.ts";

/** What a kernel has planned so far. */
export interface Planned<T extends DeviceTypes> {
  readonly steps: readonly T["step"][];
  /** Whether a buffer was made for this call, so that nothing else has written it. */
  isNew(buffer: DeviceBuffer<T["handle"]>): boolean;
}

/**
 * Lets a kernel plan its call. What the kernel of an op set planned is checked: a result that is missing, that no step
 * writes, or that is not as the op's record says, would be read from memory that is not its own.
 */
export function prepareCall<T extends DeviceTypes>(
  device: PlanDevice<T>,
  target: PlanTarget<T>,
  planned: PlannedCall<T>,
  made: Planned<T>,
): Awaitable<void> {
  const { call } = planned;
  const prepared = device.kernel(call)!.prepare(device.context(target, planned), call.args);
  return call.packaged ? whenReady(prepared, () => requireResults(device, planned, made)) : prepared;
}

function requireResults<T extends DeviceTypes>(
  device: PlanDevice<T>,
  { call, table, epilogue }: PlannedCall<T>,
  made: Planned<T>,
): void {
  for (const [index, result] of call.results.entries()) {
    for (const tensor of tensorsIn(result)) {
      const written = epilogue !== null && tensor === call.results[0] ? epilogue.output : tensor;
      const problem = problemOf(written, table.get(written), index, device, made);
      if (problem !== null) throw kernelError(call, { ...problem, result: index });
    }
  }
}

function problemOf<T extends DeviceTypes>(
  { dtype, shape }: LoweredTensor,
  view: TensorView<T["handle"]> | undefined,
  index: number,
  device: PlanDevice<T>,
  { steps, isNew }: Planned<T>,
): KernelProblem | null {
  // An empty result needs no step, and gets its memory later.
  if (shape.includes(0) && view === undefined) return null;
  if (view === undefined) {
    return {
      what: `makes no result ${index}`,
      advice: `Make it in \`prepare\`: \`call.output(${index})\`, \`call.outputs(${index})\` for a list of tensors, \`call.alias(${index}, view)\` for a view.`,
    };
  }
  if (view.dtype !== dtype || !sameShape(view.shape, shape)) {
    return {
      what: `makes result ${index} as ${view.dtype}[${view.shape.join(", ")}]; it is ${dtype}[${shape.join(", ")}]`,
      advice: `\`call.output(${index})\` has the dtype and shape that the op's record infers; what \`call.alias(${index}, view)\` gets must have them too.`,
    };
  }
  const outside = reachBeyond(view, Math.floor(view.buffer.bytes / device.itemsize(dtype)));
  if (outside !== null) {
    return {
      what: `makes result ${index} with memory that is not its own: ${outside}`,
      advice: "Strides count elements. Those of an output are those of a dense tensor, in any order of its dimensions.",
    };
  }
  if (shape.includes(0) || !isNew(view.buffer)) return null;
  const isWritten = steps.some((step) => device.writtenBy?.(step)?.includes(view.buffer) ?? true);
  if (isWritten) return null;
  return {
    what: `plans no ${device.stepName} that writes result ${index}`,
    advice: `Add a ${device.stepName} in \`prepare\` that writes every element of it in each run.`,
  };
}
