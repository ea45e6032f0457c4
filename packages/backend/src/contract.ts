import type { DType, WeightTensor } from "@pt2/format";
import type { Program } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import type { Seed } from "./random/seed.ts";
import type { HostTensor, Tensor } from "./tensor/tensor.ts";

/**
 * A backend: this interface is everything the runtime needs from one.
 *
 * A user creates a backend and passes it to `load`; nothing registers itself. An ability that a backend lacks is a flag
 * or an absent member, never a method that throws.
 */
export interface Backend extends AsyncDisposable {
  /** A short and stable name: `wasm`, `libtorch`, `webgpu`. */
  readonly name: string;
  /** The version of this contract that the backend implements. The runtime refuses any other version. */
  readonly apiVersion: typeof BACKEND_API_VERSION;
  /** What it can do, for tools and for passes that prepare programs for it. */
  readonly capabilities: Capabilities;
  /**
   * Lists the ops of a program that this backend cannot run, taking the decompositions of `registry` into account. It
   * reads no weights. An empty list is a promise that `compile` will not fail because of a missing op. It may load
   * code, and it may ask a worker.
   */
  unsupported(program: Program, registry: OpRegistry): Promise<readonly UnsupportedOp[]>;
  /**
   * Starts to bring weights into memory while the program is still being prepared. The result is passed to `compile`
   * together with weights that share their storages, or it is discarded. A failed read is not reported here: `compile`
   * reads again what it needs. Absent if it would gain nothing.
   */
  prefetch?(
    weights: readonly WeightTensor[],
    signal?: AbortSignal,
  ): Prefetch | undefined | Promise<Prefetch | undefined>;
  /**
   * Prepares a program. Resolves everything that can be resolved without inputs: kernels, argument slots, memory plan,
   * fusions. Reads each weight at most once, and does not keep `request.weights` after the executable is disposed. A
   * compile that fails or is aborted releases everything. If ops cannot run, it rejects with {@link unsupportedOps} for
   * the result of `unsupported`, before it reads a weight: `load` does not call `unsupported` itself.
   */
  compile(request: CompileRequest): Promise<Executable>;
  /**
   * Copies a tensor to where the backend computes, so that several runs can use it without another copy. Absent if the
   * backend computes in host memory.
   */
  upload?(tensor: HostTensor): Promise<Tensor>;
  /**
   * Seeds the source of random numbers that all executables of this backend share, as `torch.manual_seed` does: runs that
   * start afterwards draw the numbers that PyTorch draws on the CPU, in the order in which they run. A backend that was
   * never seeded has another sequence in each process. Throws `backend.seed`. Absent if the backend draws none.
   */
  manualSeed?(seed: Seed): void;
  /**
   * Frees everything the backend holds, including executables that are still alive. Runs under way come to their end
   * first, as they do when an executable is disposed: abort them to end sooner. A compile under way rejects, and so do
   * further calls, with a coded error. Idempotent: each call resolves when everything is freed. `[Symbol.asyncDispose]`
   * does the same, for `await using`.
   */
  dispose(): Promise<void>;
}

/** The version of {@link Backend}; it is raised when a member changes its meaning. */
export const BACKEND_API_VERSION = 1;

/** What a backend can do. An absent member means the default. */
export interface Capabilities {
  /** The dtypes of tensors that programs may contain. Other dtypes are refused at compile. */
  readonly dtypes: readonly DType[];
  /**
   * The dtypes that are stored as a narrower one (`int64` as `int32`); values are checked at upload and in literals.
   * Default: none. A value that does not fit is a coded error.
   */
  readonly narrowed?: Readonly<Partial<Record<DType, DType>>>;
  /**
   * Whether JavaScript op handlers with a `compile` function are supported. Default: false; such handlers are then
   * refused.
   */
  readonly handlers?: boolean;
  /**
   * Whether sizes may depend on data (`nonzero`, `item`). Default: false; such ops are then reported as unsupported.
   */
  readonly dynamicSizes?: boolean;
  /**
   * Whether runs leave the calling thread free. Default: false. An executable may differ from it ({@link
   * Executable.offThread}).
   */
  readonly offThread?: boolean;
  /**
   * Whether the backend runs in-place ops and writes through views itself. Default: false; the runtime then
   * functionalizes programs before it passes them on.
   */
  readonly mutation?: boolean;
}

/** The arguments of `compile`. */
export interface CompileRequest {
  /** What is compiled, after the passes that the capabilities ask for. */
  readonly program: Program;
  /** The weights by fully qualified name; their bytes are read on demand. */
  readonly weights: ReadonlyMap<string, WeightTensor>;
  /** What the ops of the program mean, those of users too. */
  readonly registry: OpRegistry;
  /** The result of this backend's `prefetch` for weights of the same file. */
  readonly prefetch?: Prefetch | undefined;
  /** `exact` forbids reordering and fusion that change bits. Default: `fast`. */
  readonly precision?: "exact" | "fast";
  /** Told of bytes of weights that were read and of code that was compiled. */
  readonly onProgress?: (progress: Progress) => void;
  /** Aborts the compile, which rejects with its reason. */
  readonly signal?: AbortSignal;
  /**
   * Must be called and awaited when the executable has been disposed, by itself or with its backend: it closes the
   * source of the weights. It may be called more than once.
   */
  readonly onDispose?: () => Promise<void>;
}

/** Weights that are being read into the memory of the backend that started it. */
export interface Prefetch {
  /**
   * Ends the prefetch of a load that failed: starts no more reads, waits for those under way, and frees the memory.
   * Idempotent.
   */
  discard(): Promise<void>;
}

/** The progress of a load. Units are bytes of weights, and compiled shaders or similar code. */
export interface Progress {
  /** What is under way. */
  readonly stage: "weights" | "compile";
  /** What is done of `total`: bytes where the stage is `weights`, else pieces of code. */
  readonly done: number;
  /** All that the stage will do, as far as is known. */
  readonly total: number;
}

/** An op that a backend cannot run. */
export interface UnsupportedOp {
  /** Its canonical name, such as `aten::add.Tensor`. */
  readonly op: string;
  /** The number of nodes with this op. */
  readonly count: number;
  /** The first of these nodes, with its module path and Python line. */
  readonly where: string;
  /** The reason, in words for the user. */
  readonly why: string;
}

/** A leaf of the user's inputs or outputs. */
export type Value = Tensor | number | bigint | boolean | string | null;

/**
 * A prepared program. Runs may overlap and are independent of each other, except that runs of a program that mutates
 * its buffers see each other's writes in the order in which they were started.
 */
export interface Executable extends AsyncDisposable {
  /**
   * Why its runs compute on the calling thread, for a backend with `capabilities.offThread` and a program that it cannot
   * run elsewhere, such as one with handlers of users: a sentence that `load` reports, with what to do.
   */
  readonly onCallingThread?: string;
  /**
   * Runs the program once. `inputs` are the program's user inputs in flattened order, already checked against the
   * signature; they are never modified. The caller must not change their memory before the promise settles: whether a
   * backend reads it when it is called or later is its own affair. Returns the user
   * outputs in order, which include the loss and the gradients of a program that has them (`isReturned`). A run that
   * fails or is aborted changes no buffer.
   */
  run(inputs: readonly Value[], options?: RunOptions): Promise<readonly Value[]>;
  /**
   * Runs on the calling thread and blocks it; meant for scripts and short programs. Anything that cannot be done
   * without waiting, such as an asynchronous handler, is a coded error. Absent if the backend cannot compute on the
   * calling thread.
   */
  runSync?(inputs: readonly Value[]): readonly Value[];
  /**
   * Runs node by node, nested graphs included, and calls `observe` with the outputs of each node before the next one
   * runs. Gives the same results as `run`, but is much slower. Absent if the backend cannot stop between nodes.
   */
  trace?(inputs: readonly Value[], observe: TraceObserver, options?: RunOptions): Promise<readonly Value[]>;
  /**
   * Does the work that the first `run` with inputs of these shapes does before it computes: plans, compiles, and reads
   * weights that only this run needs. Nothing is computed and no buffer changes; work that depends on data is left for
   * the run. Absent if a first run needs no such work.
   */
  warmup?(inputs: readonly Value[], options?: WarmupOptions): Promise<void>;
  /**
   * Compiles the program again on a new device, from the file, after the device was lost. Buffers that runs had written
   * start again with the file's values. Does nothing while the device works. Absent if there is no device to lose.
   */
  recover?(): Promise<void>;
  /**
   * Returns copies of parameters and buffers that runs write, by target, as the runs that were started before leave
   * them. What runs do not write may be left out. Absent if the backend cannot give them.
   */
  readState?(targets: readonly string[]): Promise<ReadonlyMap<string, HostTensor>>;
  /** Runs the program and measures it. Slower than `run`. */
  profile(inputs: readonly Value[], options?: RunOptions): Promise<Profile>;
  /** Reports the bytes that are held now. */
  memory(): Promise<MemoryReport>;
  /** Describes in text what the compiler did: which nodes became which kernel. */
  explain(): Promise<string>;
  /**
   * Frees the executable, as `await using` does. Waits for runs under way; further ones reject. Idempotent: each call
   * resolves when everything is freed.
   */
  dispose(): Promise<void>;
}

/** Options of one run. */
export interface RunOptions {
  /** Aborts the run, which rejects with the signal's reason; the executable stays usable. */
  readonly signal?: AbortSignal;
}

/** Options of a warmup. */
export interface WarmupOptions extends RunOptions {
  /** Told of what is read and compiled for these shapes. */
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * A function that is called with each node that ran, in order. A promise is awaited; if the function throws or rejects,
 * the run ends with that error.
 */
export type TraceObserver = (event: TraceEvent) => void | Promise<void>;

/** A node that ran. */
export interface TraceEvent {
  /** The name of the node in the program as the backend runs it: with precision `fast`, after its passes. */
  readonly node: string;
  /** Its canonical name, such as `aten::add.Tensor`. */
  readonly op: string;
  /** Its module path and its line of Python. */
  readonly where: string;
  /**
   * One entry per value that the node returns, by its name in the program. Tensors are the run's own memory, not
   * copies: read them only, and only until the observer is done; in-place ops may change them later.
   */
  readonly outputs: readonly TraceOutput[];
}

/** A value that a node returned. */
export interface TraceOutput {
  /** Its name in the program. */
  readonly name: string;
  /** A tensor of the run's own memory, or a number. */
  readonly value: Value;
}

/** The times of one run. */
export interface Profile {
  /** What the run returned. */
  readonly outputs: readonly Value[];
  /** The steps in the order in which they ran. */
  readonly steps: readonly StepTime[];
  /** The time of the whole run in milliseconds, including transfers. */
  readonly totalMs: number;
}

/** The time of one step of a run. */
export interface StepTime {
  /** The name of the node that the step computes, or of the last one. */
  readonly node: string;
  /** The ops that this step computes. */
  readonly ops: readonly string[];
  /**
   * All nodes that the step computes, and the location of the last: `aten::conv2d %conv2d + aten::relu %relu (stem,
   * net.py:8)`.
   */
  readonly where: string;
  /** When it began, in milliseconds from the beginning of the run. */
  readonly startMs: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
}

/** The bytes that an executable holds, by purpose. */
export interface MemoryReport {
  /** Bytes of weights, also of those that were packed for kernels. */
  readonly weights: number;
  /** Bytes of intermediate results. */
  readonly activations: number;
  /** Everything the executable has reserved, including the two above. */
  readonly reserved: number;
}
