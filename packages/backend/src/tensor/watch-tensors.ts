import type { DType } from "@pt2/format";
import { type MadeTensor, observeTensors } from "./tensor-observer.ts";

/** A tensor in device memory that was not disposed. */
export interface LiveTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly device: string;
  /** Where it was made: the frames of the call stack outside of these packages, the innermost first. */
  readonly site: string;
  /** Whether the garbage collector has taken it: nothing can dispose it any more. */
  readonly isLost: boolean;
}

/** A report of tensors that live in device memory. */
export interface TensorWatch extends Disposable {
  /** Lists the tensors that were made since the watch began and are not disposed. */
  live(): readonly LiveTensor[];
  /** Describes them, one line for each place that made some: `3 × float32[5, 7] on webgpu, made at …`. */
  report(): string;
}

/**
 * Watches tensors in device memory, of every backend, to find those that a program forgets to dispose. It is for
 * development: each tensor costs the record of a call stack. Watch a stretch of code that should leave nothing behind,
 * and ask for `live()` or `report()` after it.
 *
 * ```ts
 * using watch = watchTensors();
 * await step();
 * console.log(watch.report());
 * ```
 */
export function watchTensors(): TensorWatch {
  const records = new Set<{ readonly tensor: WeakRef<MadeTensor>; readonly live: Omit<LiveTensor, "isLost"> }>();
  const end = observeTensors((tensor) => {
    const { dtype, shape, device } = tensor;
    const record = { tensor: new WeakRef(tensor), live: { dtype, shape, device, site: callersOf(tensor) } };
    records.add(record);
    return () => records.delete(record);
  });
  const live = (): readonly LiveTensor[] =>
    [...records].map((record) => ({ ...record.live, isLost: record.tensor.deref() === undefined }));
  return {
    live,
    report() {
      const counts = new Map<string, number>();
      for (const { dtype, shape, device, site } of live()) {
        const line = `${dtype}[${shape.join(", ")}] on ${device}, made ${site.split("\n", 1)[0]}`;
        counts.set(line, (counts.get(line) ?? 0) + 1);
      }
      if (counts.size === 0) return "no live tensors";
      return [...counts].map(([line, count]) => `${count} × ${line}`).join("\n");
    },
    [Symbol.dispose]: end,
  };
}

/** These packages as they are installed, or as bundlers name them. */
const OWN = /@pt2[\\/+_]/;
/** The folder beside `backend` in a checkout, in a frame of this file. */
const CHECKOUT = /([^\s()]*[\\/])backend[\\/](?:src|dist)[\\/]/;
/** Enough frames to leave these packages, whose runs wait for each other. */
const FRAMES = 64;

/** What V8 adds to `Error`. Not every JavaScript engine has it, nor do the types of every project. */
interface StackTraces {
  readonly prototype: Error;
  stackTraceLimit?: number | undefined;
  captureStackTrace?(target: object, above: () => unknown): void;
}

/** Returns the frames that led to the constructor of a tensor, without those of these packages. */
function callersOf(tensor: MadeTensor): string {
  const traces: StackTraces = Error;
  const trace: { stack?: string } = {};
  const { stackTraceLimit } = traces;
  traces.stackTraceLimit = FRAMES;
  // V8 leaves out the constructor and all that it calls.
  if (traces.captureStackTrace === undefined) trace.stack = new Error("made").stack ?? "";
  else traces.captureStackTrace(trace, tensor.constructor as () => unknown);
  traces.stackTraceLimit = stackTraceLimit;
  const lines = (trace.stack ?? "").split("\n").map((line) => line.trim());
  // Frames of V8 begin with `at`, those of others have a place behind `@`.
  const frames = lines.filter((line) => /^at |@/.test(line));
  const beside = CHECKOUT.exec(new Error("here").stack ?? "")?.[1];
  const isOwn = (frame: string): boolean => OWN.test(frame) || (beside !== undefined && frame.includes(beside));
  const outside = frames.filter((frame) => !isOwn(frame) && !/<anonymous>\)?$/.test(frame));
  return (outside.length > 0 ? outside : frames).join("\n");
}
