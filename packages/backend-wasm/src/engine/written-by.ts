import type { TensorView } from "./tensor-view.ts";

type Step = () => void;

const targets = new WeakMap<Step, TensorView["buffer"]>();

/** Notes the tensor that a loop or a copy writes, which is all that it writes. */
export function writing(to: TensorView, step: Step): Step {
  targets.set(step, to.buffer);
  return step;
}

/** Returns the buffers that a step writes; undefined for a step of a kernel, which may write any. */
export function writtenBy(step: Step): readonly TensorView["buffer"][] | undefined {
  const target = targets.get(step);
  return target && [target];
}
