import { type Call, isTensor, type LoweredTensor } from "@pt2/registry";
import { operandsOf, type Step } from "../fuse.ts";
import type { DeviceBuffer } from "./constant.ts";
import type { DeviceTypes } from "./device-types.ts";

/**
 * A result that replaces a buffer of the module and differs from it in a part, such as a cache with one more row. Runs write that
 * part into a copy of the buffer, and into the buffer itself when all results are there: one that fails changes no buffer.
 */
export interface BufferUpdate<T extends DeviceTypes> {
  readonly buffer: DeviceBuffer<T["handle"]>;
  /** Memory of the plan that holds what the buffer holds before a run. */
  readonly copy: DeviceBuffer<T["handle"]>;
  /** Makes the copy so, where it is not since the run before. */
  readonly refresh: readonly T["step"][];
  /** Changes the buffer as the run has changed the copy. */
  readonly commit: readonly T["step"][];
}

/** A call that makes the new content of a buffer from the one before. */
export interface UpdatingCall {
  readonly call: Call;
  readonly buffer: LoweredTensor;
}

/**
 * Finds the steps that may write into a copy of a buffer. `writes` are the results that replace buffers, each with its buffer;
 * `updates` tells whether a kernel writes a part of its first argument.
 */
export function updatingCalls(
  steps: readonly Step<unknown>[],
  writes: ReadonlyMap<LoweredTensor, LoweredTensor>,
  updates: (call: Call) => boolean,
): ReadonlyMap<Step<unknown>, UpdatingCall> {
  const found = new Map<Step<unknown>, UpdatingCall>();
  if (writes.size === 0) return found;
  for (const step of steps) {
    if (step.kind !== "call") continue;
    const { call } = step;
    const [result] = call.results;
    const buffer = isTensor(result) ? writes.get(result) : undefined;
    if (buffer === undefined || call.args[call.record.schema.args[0]!.name] !== buffer) continue;
    const isReadOnce = operandsOf(call).filter((operand) => operand === buffer).length === 1;
    const isAlike = isTensor(result) && result.dtype === buffer.dtype && `${result.shape}` === `${buffer.shape}`;
    if (isReadOnce && isAlike && updates(call)) found.set(step, { call, buffer });
  }
  return found;
}
