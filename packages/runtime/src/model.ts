import type {
  HostTensor,
  MemoryReport,
  Profile,
  RunOptions,
  Tensor,
  TraceObserver,
  Value,
  WarmupOptions,
} from "@pt2/backend";
import type { Program } from "@pt2/graph";
import type { Call } from "./call.ts";
import type { StepResult } from "./result.ts";
import type { LeafInfo, OutputInfo } from "./signature.ts";

/** A loaded program. Calls may overlap; buffers that the program mutates keep their values between calls. */
export interface Model extends AsyncDisposable {
  /** The name of the backend that runs it. */
  readonly backend: string;
  /** The program that the backend compiled. */
  readonly program: Program;
  /**
   * Whether calls leave the calling thread free, but for those that take less than the way to another thread. `explain`
   * gives the reason if not, for backends that support it.
   */
  readonly offThread: boolean;
  /** The leaves of a call, in flattened order. */
  readonly inputs: readonly LeafInfo[];
  /** The leaves of the result in flattened order, and the gradients of a program of forward and backward. */
  readonly outputs: readonly OutputInfo[];
  /**
   * Calls the program. Arguments are passed in order, or by name as one plain object: `forward({ image })`. Where the
   * first parameter is itself a dict, an object is that dict, unless its keys are all names of parameters; `run` is
   * never ambiguous. `tensor` creates tensors; a typed array suffices where the shape is fixed. Inputs that were fixed
   * at export may be omitted. Do not change the memory of inputs before the promise settles: backends read it at
   * different times.
   *
   * The result has the module's structure: a dict, namedtuple or dataclass becomes an object, a tuple or list an array;
   * classes of libraries become objects with their field names (`last_hidden_state`). `Result` is the caller's claim; it
   * is not checked. Results belong to the caller: those that stay on a device are freed by their `dispose()`.
   *
   * Rejects with `runtime.input-…` or `graph.input-shape` before anything runs where inputs do not fit, and with
   * `runtime.disposed` after `dispose()`.
   */
  forward<Result = Tensor>(...inputs: readonly unknown[]): Promise<Result>;
  /**
   * Calls a program of forward and backward as `forward` does; returns its loss, the gradients by the name of the
   * parameter, and the module's result. Buffers that the program writes, such as running statistics, are written.
   * Absent for a program without gradients: `grad` of `@pt2/autograd` adds them.
   */
  readonly step?: <Outputs = unknown>(...inputs: readonly unknown[]) => Promise<StepResult<Outputs>>;
  /**
   * Like `forward`, with separate positional and keyword arguments, and with options: a `signal` that aborts makes it
   * reject with its reason, and changes no buffer.
   */
  run<Result = Tensor>(call: Call, options?: RunOptions): Promise<Result>;
  /** Returns the leaves of a call in flattened order, for `runFlat`. */
  leavesOf(call: Call): readonly unknown[];
  /** Like `run`, with leaves as inputs and results. */
  runFlat(leaves: readonly unknown[], options?: RunOptions): Promise<readonly Value[]>;
  /**
   * Like `forward` on the calling thread, which it blocks. Absent when the backend cannot compute there: `libtorch`
   * can, `wasm` cannot.
   */
  readonly forwardSync?: <Result = Tensor>(...inputs: readonly unknown[]) => Result;
  /** Like `run` on the calling thread. */
  readonly runSync?: <Result = Tensor>(call: Call) => Result;
  /**
   * Runs a call that stops after every node and passes its results to `observe`, for debugging. The result is that of
   * `run`. Absent when the backend cannot stop between nodes.
   */
  readonly trace?: <Result = Tensor>(call: Call, observe: TraceObserver, options?: RunOptions) => Promise<Result>;
  /**
   * Rebuilds the model from its file on a new device, after the GPU device was lost (`webgpu.device-lost`). Buffers
   * that calls had written restart with the file's values. Absent when the backend has no device to lose.
   */
  readonly recover?: () => Promise<void>;
  /**
   * Prepares for calls with inputs of these shapes, so that the first call is as fast as later ones: planning a program
   * with symbolic sizes, and compiling its shaders, needs the sizes. Runs nothing and changes no buffer.
   */
  warmup(call: Call, options?: WarmupOptions): Promise<void>;
  /**
   * Returns copies of the parameters and buffers that calls write, by name, as the calls before leave them; others may
   * be among them. Absent when the backend cannot give them.
   */
  readonly readState?: () => Promise<ReadonlyMap<string, HostTensor>>;
  /** Runs a call with a time for each step, in milliseconds. Buffers are written as by any call. */
  profile(call: Call, options?: RunOptions): Promise<Profile>;
  /** Returns the bytes in use. */
  memory(): Promise<MemoryReport>;
  /** Returns the inputs and outputs on a few lines, as `console.log` of Node shows the model. */
  toString(): string;
  /** Returns a description of the compiled program. */
  explain(): Promise<string>;
  /** Releases the model and closes its source; the backend stays. Waits for calls in flight. Idempotent. */
  dispose(): Promise<void>;
}
