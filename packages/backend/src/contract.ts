import type { DType, WeightTensor } from "@pt2/format";
import type { Program } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import type { HostTensor, Tensor } from "./tensor.ts";

/**
 * What a backend is: everything the runtime needs, on one page.
 *
 * A user makes a backend value and hands it to `load`; nothing registers itself. An ability that a backend lacks is a
 * flag or an absent member, never a method that throws.
 */
export interface Backend extends AsyncDisposable {
  /** Short and stable: `wasm`, `libtorch`, `webgpu`. */
  readonly name: string;
  /** Version of this contract that the backend implements. The runtime refuses another one. */
  readonly apiVersion: typeof BACKEND_API_VERSION;
  readonly capabilities: Capabilities;
  /**
   * The ops of a program that this backend cannot run, with the decompositions of `registry` taken into account.
   * Reads no weights; an empty list is a promise that `compile` will not fail for a missing op. It may load code, and
   * may ask a worker.
   */
  unsupported(program: Program, registry: OpRegistry): Promise<readonly UnsupportedOp[]>;
  /**
   * Begins to bring weights into memory while the program is still being prepared: what it returns goes to `compile`
   * with weights that share their storages, or is discarded. A read that fails is not told here; `compile` reads again
   * what it needs. Absent when nothing is gained.
   */
  prefetch?(
    weights: readonly WeightTensor[],
    signal?: AbortSignal,
  ): Prefetch | undefined | Promise<Prefetch | undefined>;
  /**
   * Prepares a program. Resolves everything that can be resolved without inputs: kernels, argument slots, memory plan,
   * fusions. Reads each weight at most once, and does not keep `request.weights` after the executable is disposed.
   * A compile that fails or is aborted leaves nothing behind. If ops cannot run, it rejects with {@link unsupportedOps} of
   * what `unsupported` answers, before it reads a weight: `load` does not ask `unsupported` itself.
   */
  compile(request: CompileRequest): Promise<Executable>;
  /**
   * Puts a tensor where the backend computes, so that several runs can take it without another copy.
   * Absent when the backend computes in host memory.
   */
  upload?(tensor: HostTensor): Promise<Tensor>;
  /**
   * Frees what the backend holds, including executables that are still alive. Further calls reject.
   * `[Symbol.asyncDispose]` does the same, for `await using`.
   */
  dispose(): Promise<void>;
}

/** Version of {@link Backend}; raised when a member changes its meaning. */
export const BACKEND_API_VERSION = 1;

/** What a backend can do. Absent means the default. */
export interface Capabilities {
  /** Dtypes of tensors that programs may contain. Others are refused at compile. */
  readonly dtypes: readonly DType[];
  /**
   * Dtypes held in a narrower one (`int64` as `int32`), checked at upload and on literals.
   * Default: none. When present, a value that does not fit is a coded error.
   */
  readonly narrowed?: Readonly<Partial<Record<DType, DType>>>;
  /** Whether JavaScript op handlers with a `compile` function are honoured. Default: false; then they are refused. */
  readonly handlers?: boolean;
  /** Whether sizes may depend on data (`nonzero`, `item`). Default: false; then such ops are reported as unsupported. */
  readonly dynamicSizes?: boolean;
  /**
   * Whether runs leave the calling thread free. Default: false. An executable for which something else holds says so
   * ({@link Executable.offThread}).
   */
  readonly offThread?: boolean;
  /**
   * Whether it runs in-place ops, and writes through views, as they are. Default: false; then the runtime makes programs
   * functional before it hands them over.
   */
  readonly mutation?: boolean;
}

/** What `compile` is given. */
export interface CompileRequest {
  readonly program: Program;
  /** By fully qualified name; bytes are read on demand. */
  readonly weights: ReadonlyMap<string, WeightTensor>;
  readonly registry: OpRegistry;
  /** What this backend's `prefetch` returned for weights of the same file. */
  readonly prefetch?: Prefetch | undefined;
  /** `exact` forbids reordering and fusion that changes bits; default `fast`. */
  readonly precision?: "exact" | "fast";
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
  /**
   * To be called, and waited for, when the executable has been disposed, by itself or with its backend: what weights are
   * read from is closed then. May be called again.
   */
  readonly onDispose?: () => Promise<void>;
}

/** Weights on their way into the memory of the backend that began it. */
export interface Prefetch {
  /** For a load that fails: starts no more reads, waits for those under way, and frees the memory. Idempotent. */
  discard(): Promise<void>;
}

/** Progress of a load. Units are bytes of weights, and shaders or the like that are compiled. */
export interface Progress {
  readonly stage: "weights" | "compile";
  readonly done: number;
  readonly total: number;
}

/** An op that a backend cannot run. */
export interface UnsupportedOp {
  readonly op: string;
  /** Nodes with this op. */
  readonly count: number;
  /** The first of them, with module path and Python line. */
  readonly where: string;
  readonly why: string;
}

/** A leaf of the user's inputs or outputs. */
export type Value = Tensor | number | bigint | boolean | string | null;

/**
 * A prepared program. Runs may overlap and are independent of each other, except that runs of a program that mutates
 * its buffers see each other's writes in the order in which they were started.
 */
export interface Executable {
  /**
   * Whether its runs leave the calling thread free. Absent where it is as `capabilities.offThread` says. A program that
   * needs handlers or kernels of users may be run on the calling thread; `explain` says why.
   */
  readonly offThread?: boolean;
  /**
   * One forward. `inputs` are the program's user inputs in flattened order, already checked against the signature;
   * they are never modified and may be reused at once after the promise settles. Returns the user outputs in order,
   * and so the loss and the gradients of a program that has them (`isReturned`).
   * A run that fails or is aborted changes no buffer.
   */
  run(inputs: readonly Value[], options?: RunOptions): Promise<readonly Value[]>;
  /**
   * `run` on the calling thread, which it blocks; for scripts and short programs. What cannot be done without waiting,
   * such as a handler that answers later, is a coded error. Absent when the backend cannot compute on the calling thread.
   */
  runSync?(inputs: readonly Value[]): readonly Value[];
  /**
   * A run that stops after every node, nested graphs included, and lets `observe` see what the node gave before the next
   * one runs. Same results as `run`, much slower. Absent when the backend cannot stop between nodes.
   */
  trace?(inputs: readonly Value[], observe: TraceObserver, options?: RunOptions): Promise<readonly Value[]>;
  /**
   * Does what the first `run` with inputs of these shapes would do before it runs: plans, compiles, brings weights that
   * only it needs. Nothing runs and no buffer changes; what depends on data is left for the run. Absent when a first run
   * is like any other.
   */
  warmup?(inputs: readonly Value[], options?: WarmupOptions): Promise<void>;
  /**
   * After the device was lost: builds the program again on another one, from the file. Buffers that runs had written
   * begin with the file's values. Does nothing while the device works. Absent when there is no device to lose.
   */
  recover?(): Promise<void>;
  /** A run that also measures. Slower than `run`. */
  profile(inputs: readonly Value[], options?: RunOptions): Promise<Profile>;
  /** Bytes held now. */
  memory(): Promise<MemoryReport>;
  /** What the compiler did, as text for people: which nodes became which kernel. */
  explain(): Promise<string>;
  /** Idempotent. Waits for runs under way. */
  dispose(): Promise<void>;
}

export interface RunOptions {
  /** Rejects the run with the signal's reason; the executable stays usable. */
  readonly signal?: AbortSignal;
}

export interface WarmupOptions extends RunOptions {
  readonly onProgress?: (progress: Progress) => void;
}

/** Is told each node that ran, in order. A promise is awaited; what it throws or rejects with ends the run. */
export type TraceObserver = (event: TraceEvent) => void | Promise<void>;

/** A node that ran. */
export interface TraceEvent {
  /** Name of the node, in the program as the backend runs it: of precision `fast` after its passes. */
  readonly node: string;
  readonly op: string;
  readonly where: string;
  /**
   * One entry per value that the node gives, by its name in the program. Tensors are the run's own memory, not copies:
   * they are to be read, not written to, and hold until the observer is done; in-place ops may change them later.
   */
  readonly outputs: readonly TraceOutput[];
}

export interface TraceOutput {
  readonly name: string;
  readonly value: Value;
}

/** Times of one forward. */
export interface Profile {
  readonly outputs: readonly Value[];
  readonly steps: readonly StepTime[];
  /** Whole run in milliseconds, transfers included. */
  readonly totalMs: number;
}

export interface StepTime {
  /** Name of the (last) node that the step computes. */
  readonly node: string;
  /** The ops that are computed in this step. */
  readonly ops: readonly string[];
  /** All nodes that it computes, and the place of the last: `aten::conv2d %conv2d + aten::relu %relu (stem, net.py:8)`. */
  readonly where: string;
  readonly startMs: number;
  readonly ms: number;
}

/** Bytes by purpose. */
export interface MemoryReport {
  readonly weights: number;
  readonly activations: number;
  /** Everything the executable has reserved, the two above included. */
  readonly reserved: number;
}
