import type { DType } from "@pt2/format";

/** What observers get to know of a tensor. */
export interface MadeTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly device: string;
  dispose(): void;
}

/** Is told of each tensor in device memory that is made, and returns what to call when it is disposed. */
export type TensorObserver = (tensor: MadeTensor) => () => void;

const observers = new Set<TensorObserver>();

/** Begins to tell an observer of tensors; returns what ends it. */
export function observeTensors(observer: TensorObserver): () => void {
  observers.add(observer);
  return () => observers.delete(observer);
}

/** Tells the observers of a tensor that is being made. Without observers it does nothing. */
export function tensorMade(tensor: MadeTensor): void {
  for (const observer of observers) {
    const disposed = observer(tensor);
    // Only a watched tensor has a method of its own, so that others cost nothing.
    const dispose = tensor.dispose.bind(tensor);
    tensor.dispose = () => {
      disposed();
      dispose();
    };
  }
}
