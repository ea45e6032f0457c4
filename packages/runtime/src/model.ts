import type { MemoryReport, Profile, RunOptions, Tensor, TraceObserver, Value, WarmupOptions } from "@pt2/backend";
import type { Program } from "@pt2/graph";
import type { Call } from "./call.ts";
import type { LeafInfo, OutputInfo } from "./signature.ts";

/** A loaded program. Calls may overlap; buffers that the program mutates keep their values between calls. */
export interface Model extends AsyncDisposable {
  /** Name of the backend that runs it. */
  readonly backend: string;
  /** The program as the backend got it. */
  readonly program: Program;
  /** Whether calls leave the calling thread free. `explain` says why they do not, where the backend could. */
  readonly offThread: boolean;
  /** The leaves of a call, in flattened order. */
  readonly inputs: readonly LeafInfo[];
  /** The leaves of the result, in flattened order; and the gradients of a program of forward and backward. */
  readonly outputs: readonly OutputInfo[];
  /**
   * Calls the program. Arguments are given in order, or by name as one plain object: `forward({ image })`. Where the
   * first parameter is a dict itself, an object is that dict, unless its keys are all names of parameters; `run` is
   * never ambiguous. Tensors are made with `tensor`; a typed array will do where the shape is fixed. What was fixed at
   * export may be left out.
   *
   * The result has the module's structure: a dict, namedtuple or dataclass is an object, a tuple or list an array, and so
   * is what a class of a library says of its parts (`last_hidden_state`). A program of forward and backward gives a
   * {@link JointResult}. `Result` is what the caller knows of it; it is not checked.
   */
  forward<Result = Tensor>(...inputs: readonly unknown[]): Promise<Result>;
  /** `forward` with arguments as Python separates them, and with options. */
  run<Result = Tensor>(call: Call, options?: RunOptions): Promise<Result>;
  /** The leaves of a call, in flattened order: what `runFlat` takes. */
  leavesOf(call: Call): readonly unknown[];
  /** `run` from leaves to leaves. */
  runFlat(leaves: readonly unknown[], options?: RunOptions): Promise<readonly Value[]>;
  /**
   * `forward` on the calling thread, which it blocks. Absent when the backend cannot compute there: `libtorch` can,
   * `wasm` cannot.
   */
  readonly forwardSync?: <Result = Tensor>(...inputs: readonly unknown[]) => Result;
  /** `run` on the calling thread. */
  readonly runSync?: <Result = Tensor>(call: Call) => Result;
  /**
   * A call that stops after every node and shows `observe` what it gave, for debugging. Same result as `run`. Absent
   * when the backend cannot stop between nodes.
   */
  readonly trace?: <Result = Tensor>(call: Call, observe: TraceObserver, options?: RunOptions) => Promise<Result>;
  /**
   * After the GPU device was lost (`webgpu.device-lost`): builds the model again on a new device, from its file. Buffers
   * that calls had written begin with the file's values. Absent when the backend has no device to lose.
   */
  readonly recover?: () => Promise<void>;
  /**
   * Prepares for calls with inputs of these shapes, so that the first is as fast as the next: a program with open sizes is
   * planned, and its shaders compiled, when its sizes are known. Runs nothing and changes no buffer.
   */
  warmup(call: Call, options?: WarmupOptions): Promise<void>;
  /** A call that is measured step by step. */
  profile(call: Call, options?: RunOptions): Promise<Profile>;
  /** Bytes held now. */
  memory(): Promise<MemoryReport>;
  /** What the backend's compiler did, for people. */
  explain(): Promise<string>;
  /** Frees the model and closes its source; the backend stays. Waits for calls under way. Idempotent. */
  dispose(): Promise<void>;
}
