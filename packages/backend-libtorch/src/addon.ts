import type { DType } from "@pt2/format";

/**
 * The interface of the native module: what TypeScript uses of C++, and nothing else. C++ validates everything again,
 * throws {@link NativeFailure}, and has no part in Node's files or `@pt2` programs.
 */
export interface Addon {
  /** Describes the libtorch that was loaded, and what it can do on this machine. */
  info(): LibtorchInfo;
  /** Sets the number of threads of one op, at least 1. */
  setThreads(count: number): void;
  /** Sets how many runs compute at the same time, at least 1; further ones wait. */
  setConcurrency(count: number): void;
  /** Sets process-wide switches of libtorch; absent ones stay as they are. */
  setFlags(flags: Partial<LibtorchFlags>): void;
  /** Seeds the generator of the CPU and of every CUDA device, as `torch.manual_seed` does. */
  manualSeed(seed: bigint): void;
  /** Loads a shared library that registers ops with TORCH_LIBRARY. */
  loadLibrary(path: string): void;

  /** Lists every op of the dispatcher, as `aten::add.Tensor`. */
  operators(): string[];
  /** Returns the schema string of an op, or null when the dispatcher does not have it. */
  schema(op: string): string | null;
  /** Returns whether the dispatcher can run an op on a device, with a kernel for it or a composite one. */
  hasKernel(op: string, device: string): boolean;
  /**
   * Returns why programs may not call an op, whether the dispatcher has it or not; null for an op that they may call.
   */
  refusal(op: string): string | null;

  /** Maps a file; pages are private copies when written to. The mapping lives as long as a storage of it does. */
  mapFile(path: string): NativeFile;
  /** Copies bytes into a storage. */
  storage(bytes: Uint8Array): NativeStorage;
  /**
   * Makes a strided view of a storage, which must be large enough for it, on a device (a copy if that is not the CPU).
   */
  tensor(storage: NativeStorage, layout: TensorLayout, device: string): NativeTensor;

  /** Runs one op by schema on the calling thread. */
  callSync(op: string, args: readonly NativeArg[]): NativeValue[];
  /** Runs one op by schema on the pool. */
  call(op: string, args: readonly NativeArg[]): Promise<NativeValue[]>;

  /**
   * Compiles a plan: resolves every op and argument. `bound` are inputs that stay, the weights; null for those given
   * per run.
   */
  compile(plan: PlanSource, bound: readonly (NativeTensor | null)[]): NativePlan;

  /** Opens an AOTInductor package through libtorch's own loader, which runs the native code inside. */
  loadAoti(path: string, options: AotiSource): NativeAoti;

  /** Returns the bytes in libtorch's allocators, of the whole process. */
  memory(): NativeMemory;
}

/** The libtorch of the process. */
export interface LibtorchInfo {
  /** The version of PyTorch, such as `2.13.0`. */
  readonly version: string;
  /** The value of `at::get_cpu_capability()`: `DEFAULT`, `AVX2`, `AVX512`, … */
  readonly cpuCapability: string;
  /** Whether the processor multiplies bfloat16 itself. */
  readonly multipliesBfloat16: boolean;
  /** The threads of one op. */
  readonly threads: number;
  /** Whether it was built with oneDNN. */
  readonly mkldnn: boolean;
  /** Whether it was built with Intel's MKL. */
  readonly mkl: boolean;
  /** The reason why the addon was built without CUDA, or the CUDA version and its devices. */
  readonly cuda: string | { readonly version: string; readonly devices: readonly CudaDevice[] };
}

/** A GPU that libtorch can compute on. */
export interface CudaDevice {
  /** Its name, as the driver has it. */
  readonly name: string;
  /** The bytes of its memory. */
  readonly totalBytes: number;
  /** Its compute capability, such as `9.0`. */
  readonly capability: string;
}

/** Switches with the names of `torch.backends.*`. */
export interface LibtorchFlags {
  /** `torch.use_deterministic_algorithms`. */
  readonly deterministic: boolean;
  /** `torch.backends.cuda.matmul.allow_tf32`. */
  readonly matmulTf32: boolean;
  /** `torch.backends.cudnn.allow_tf32`. */
  readonly cudnnTf32: boolean;
  /** `torch.backends.cudnn.benchmark`. */
  readonly cudnnBenchmark: boolean;
  /** `torch.backends.mkldnn.enabled`: whether oneDNN computes. */
  readonly mkldnn: boolean;
}

export interface TensorLayout {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** The strides count elements. */
  readonly strides: readonly number[];
  /** The offset counts elements. */
  readonly storageOffset: number;
}

export interface NativeFile {
  readonly size: number;
  storage(offset: number, length: number): NativeStorage;
}

/** Memory that tensors view. It is freed with the last of them. */
export interface NativeStorage {
  readonly byteLength: number;
  /** Frees the memory at once unless a tensor views it. It is idempotent; later use is a coded error. */
  dispose(): void;
}

/** A tensor in libtorch's memory. */
export interface NativeTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  /** The device is `cpu` or `cuda:0`. */
  readonly device: string;
  /**
   * Returns row-major bytes. For a contiguous CPU tensor this is its own memory, which lives as long as the array does;
   * for
   * any other tensor it is a copy, and for every tensor while more than 256 MB are lent in this way.
   */
  bytes(): Uint8Array;
  /** Whether the last {@link bytes} were the memory of the tensor itself. */
  readonly isLent: boolean;
  /** Returns the same bytes as {@link bytes}, without waiting on the calling thread. */
  read(): Promise<Uint8Array>;
  /** Frees the memory at once unless another tensor views it. It is idempotent; later use is a coded error. */
  dispose(): void;
}

/** A value of libtorch in JavaScript: an integer is a bigint, a float a number. */
export type NativeValue =
  | NativeTensor
  | bigint
  | number
  | boolean
  | string
  | null
  | { readonly re: number; readonly im: number }
  | readonly NativeValue[];

/** Row-major elements in JavaScript's memory. */
export interface NativeBytes {
  readonly bytes: Uint8Array;
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** An argument by schema name. */
export interface NativeArg {
  readonly name: string;
  readonly value: NativeArgValue;
}

/** The value of an argument: as {@link PlanArg}, with tensors instead of slots. */
export type NativeArgValue =
  | Exclude<PlanArg, { readonly kind: "slot" | "graph" | "list" }>
  | { readonly kind: "tensor"; readonly tensor: NativeTensor }
  | { readonly kind: "list"; readonly items: readonly NativeArgValue[] };

/** A program in slots. Graph 0 is the root; control ops refer to the others by index. */
export interface PlanSource {
  readonly graphs: readonly PlanGraph[];
  /** The device of factories and `device=` arguments, whatever the file says. */
  readonly device: string;
  /**
   * Whether ops of ATen that compute little take no other threads. Bits of sums may depend on the number of threads.
   *
   * @default false
   */
  readonly sparing?: boolean;
}

export interface PlanGraph {
  /** The number of values. Each is written once per execution of the graph. */
  readonly slots: number;
  /** The slot of each input; null for an input that no node reads. */
  readonly inputs: readonly (number | null)[];
  readonly nodes: readonly PlanNode[];
  readonly outputs: readonly PlanArg[];
}

/**
 * One step. The dispatcher runs `op`, the interpreter `scalar` and `control`, JavaScript `host`. An `update` is an op of
 * the first graph that writes to bound inputs themselves, where an `op` writes to copies of them: it is undone if the run
 * fails, or is the last node.
 */
export interface PlanNode {
  readonly kind: "op" | "update" | "scalar" | "control" | "host";
  /**
   * The op: `aten::add.Tensor`, `_operator::floordiv`, `higher_order::cond`; for a host node only a name for profiles.
   */
  readonly op: string;
  /** The arguments: by schema name for `op`; in order for the others, with names where the program gives them. */
  readonly args: readonly { readonly name: string; readonly arg: PlanArg }[];
  /** One entry per return: a slot, the slots of a list, or null when no node reads it. */
  readonly outputs: readonly (number | readonly number[] | null)[];
}

export type PlanArg =
  | { readonly kind: "none" }
  | { readonly kind: "slot"; readonly slot: number }
  | { readonly kind: "int"; readonly value: number | bigint }
  | { readonly kind: "float"; readonly value: number }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "complex"; readonly re: number; readonly im: number }
  | { readonly kind: "dtype"; readonly value: DType }
  | { readonly kind: "device"; readonly value: string }
  | { readonly kind: "layout"; readonly value: string }
  | { readonly kind: "memory_format"; readonly value: string }
  | { readonly kind: "graph"; readonly graph: number }
  | { readonly kind: "list"; readonly items: readonly PlanArg[] };

/** A plan whose ops, arguments and lifetimes are resolved. Runs of it may overlap. */
export interface NativePlan {
  /** Replaces a bound input, for runs that start later. */
  bind(input: number, tensor: NativeTensor): void;
  /** Begins a run; `inputs` are those that are not bound, in order. Bytes are copied. */
  start(inputs: readonly (NativeValue | NativeBytes)[], options: RunOptions): NativeRun;
  /**
   * Begins a run and continues it to its first host node or its end on the calling thread. Bytes are read in place:
   * what
   * the program keeps of them is copied before this returns. `run` is null when the run is over.
   */
  runSync(
    inputs: readonly (NativeValue | NativeBytes)[],
    options: RunOptions,
  ): { readonly step: NativeStep; readonly run: NativeRun | null };
  /**
   * Makes a run of fixed shapes ready to be repeated. Null for a plan that has host nodes, writes to its inputs, has a loop
   * whose length depends on data, or is not on the CPU.
   */
  direct(inputs: readonly NativeLayout[], outputs: readonly NativeLayout[]): NativeDirect | null;
  /**
   * Records a run on inputs of these shapes: on CUDA a CUDA graph, which one launch replays. It fails with
   * `libtorch.capture` for a program that has host nodes or writes to its inputs.
   */
  capture(inputs: readonly (NativeValue | NativeBytes)[]): Promise<NativeCapture>;
  /** Returns the bytes of the storages that the bound inputs view now, each counted once. */
  boundBytes(): number;
  dispose(): void;
}

/** The dtype and shape of row-major elements. */
export interface NativeLayout {
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** Runs of a plan on inputs of fixed dtypes and shapes, one after the other. */
export interface NativeDirect {
  /**
   * Reads the inputs' bytes, computes on the calling thread, and writes the results' bytes; `memory` has the arrays of all of
   * them in order. Returns the results instead where they do not have the layouts that were expected. `alone`: ops compute
   * with one thread.
   */
  run(alone: boolean, ...memory: readonly Uint8Array[]): readonly NativeValue[] | undefined;
  /** Copies the inputs' bytes and computes on the pool. Another run fails with `libtorch.busy` until this one has answered. */
  post(...inputs: readonly Uint8Array[]): Promise<NativeDirectDone>;
  dispose(): void;
}

/** The end of a run on the pool: the bytes of its results, or the results where they have other layouts than expected. */
export type NativeDirectDone = { readonly ns: number } & (
  | { readonly memory: readonly Uint8Array[]; readonly values?: undefined }
  | { readonly memory?: undefined; readonly values: readonly NativeValue[] }
);

/** Runs of a plan on inputs of fixed dtypes and shapes, as they were when it was captured. */
export interface NativeCapture {
  run(inputs: readonly (NativeValue | NativeBytes)[]): Promise<NativeValue[]>;
  dispose(): void;
}

export interface RunOptions {
  readonly profile: boolean;
  /** Stops after every node. @default false */
  readonly step?: boolean;
}

/**
 * One run. It stops at each host node and continues with the results from JavaScript; with `step` it stops after each
 * other node too.
 */
export interface NativeRun {
  /**
   * Runs on the pool up to the next stop or the end. `results` are those of the host node at which it stopped, else
   * none.
   */
  resume(results: readonly NativeValue[]): Promise<NativeStep>;
  /** Does the same on the calling thread. */
  resumeSync(results: readonly NativeValue[]): NativeStep;
  /** Makes the run fail with `libtorch.aborted` before its next node. */
  cancel(): void;
}

export type NativeStep = (
  | { readonly kind: "host"; readonly graph: number; readonly node: number; readonly args: readonly NativeValue[] }
  /**
   * A node that ran, host and higher-order ones included, with its results, one entry per return. Tensors are those of
   * the run itself. A run that begins again does not stop at nodes that were reported before.
   */
  | { readonly kind: "node"; readonly graph: number; readonly node: number; readonly outputs: readonly NativeValue[] }
  | {
      readonly kind: "done";
      readonly outputs: readonly NativeValue[];
      /** The inputs (bound or not) that the program wrote to, with their new values. The originals are unchanged. */
      readonly written: readonly { readonly input: number; readonly tensor: NativeTensor }[];
      readonly profile: NativeProfile | null;
    }
) & {
  /** How long the run took to get here from its stop before, in nanoseconds. */
  readonly ns: number;
};

/** Times of a run, in nanoseconds since it began; they are device times where the device measures them. */
export interface NativeProfile {
  /** The executed nodes in order, with four numbers each: graph, node, start, duration. */
  readonly steps: Float64Array;
  readonly totalNs: number;
  /** The most bytes that the run had allocated at one time. */
  readonly peakBytes: number;
  /** How often the run began: once more for each write to an input that schemas do not show. */
  readonly beginnings: number;
}

export interface AotiSource {
  readonly model: string;
  readonly device: string;
  /** How many runs may overlap. */
  readonly runners: number;
}

export interface NativeAoti {
  readonly metadata: Readonly<Record<string, string>>;
  readonly constantNames: readonly string[];
  run(inputs: readonly NativeTensor[]): Promise<NativeTensor[]>;
  dispose(): void;
}

export interface NativeMemory {
  readonly liveBytes: number;
  readonly peakBytes: number;
  /** What libtorch took of each GPU, for the whole process; empty before it is asked for memory there. */
  readonly devices: readonly DeviceMemory[];
}

/** Memory of a GPU. */
export interface DeviceMemory {
  /** The bytes of tensors. */
  readonly liveBytes: number;
  readonly peakBytes: number;
  /** The bytes that are kept for the process: those of tensors, and what was freed and is used again. */
  readonly reservedBytes: number;
}

/** An error of the native module: an `Error` with these fields. */
export interface NativeFailure extends Error {
  /** The error code: `libtorch.argument`, `libtorch.op-failed`, `libtorch.no-op`, `libtorch.aborted`, … */
  readonly code: string;
  /** The graph in the plan, where the failure has one. */
  readonly graph?: number;
  readonly node?: number;
  /** The argument's name in the schema, where the failure is about one. */
  readonly arg?: string;
}
