import type { TensorView } from "./tensor-view.ts";

type Step = () => void;

/** A loop or a copy. The buffer is a property: a plan has thousands of steps, and entries of a `WeakMap` cost more. */
interface WritingStep extends Step {
  writes?: TensorView["buffer"];
}

/** Notes the tensor that a loop or a copy writes, which is all that it writes. */
export function writing(to: TensorView, step: Step): Step {
  (step as WritingStep).writes = to.buffer;
  return step;
}

/** Returns the buffers that a step writes; undefined for a step of a kernel, which may write any. */
export function writtenBy(step: Step): readonly TensorView["buffer"][] | undefined {
  const { writes } = step as WritingStep;
  return writes && [writes];
}
