import { backendError } from "@pt2/backend";
import { type OptionTypes, requireOptions } from "@pt2/format/options";
import type { LibtorchFlags } from "./addon.ts";
import type { Outputs } from "./native-tensor.ts";

/** Where packed weights are kept. */
export interface WeightCache {
  /** The folder, which is made if it is not there. @default `weights` in the folder that `PT2_CACHE` names */
  readonly folder?: string;
  /** The most bytes that all files take together; what was not used for longest goes first. @default 8 GB */
  readonly maxBytes?: number;
}

/** Options of `libtorch`. */
export interface LibtorchOptions {
  /**
   * The device on which programs run, whatever device they name: `cpu`, `cuda`, or one of several devices, `cuda:1`.
   * @default "cpu"
   */
  readonly device?: string;
  /** The number of threads of one op, for the whole process. @default as many as libtorch chooses */
  readonly threads?: number;
  /** How many runs compute at the same time, for the whole process; further ones wait. */
  readonly concurrency?: number;
  /**
   * The most milliseconds that a run may take to be computed at once on the calling thread, which is quicker than the way
   * to the pool and back; 0: every run goes there. What runs take is measured: a program begins on the pool.
   * @default 0.1
   */
  readonly atOnceMs?: number;
  /** Shared libraries that register ops with TORCH_LIBRARY. They run code when they are loaded. */
  readonly libraries?: readonly (string | URL)[];
  /** The switches of libtorch, for the whole process. */
  readonly flags?: Partial<LibtorchFlags>;
  /**
   * The dtype in which precision `fast` may keep weights of products and convolutions: half the memory, and faster on
   * CPUs
   * with instructions for it, with three significant digits. @default as in the file
   */
  readonly weights?: "bfloat16";
  /**
   * Whether weights are mapped from the file (`true`), or read into memory (`false`), which takes longer and memory of
   * its
   * own. A file that is mapped must not be overwritten while a model uses it: the process ends with a bus error, or
   * computes
   * with other weights; replace it by renaming another over it. @default maps what takes more than 64 MB
   */
  readonly mmap?: boolean;
  /**
   * Whether packed weights are kept in a folder, so that later loads of the same file on the CPU map them instead of packing
   * again: they take about as many bytes as the weights. The first load takes longer. What is damaged, or was made by another
   * version, for another processor or of another file, is made anew; `explain` of a model says what was done.
   * @default false
   */
  readonly cache?: boolean | WeightCache;
  /**
   * Whether the second run for a set of input shapes is recorded, and later ones replay it: on CUDA one graph launch
   * instead of a launch per op. Programs with host nodes, random numbers, writes to buffers, or sizes or branches that depend
   * on elements run as without it, and so does a run that overlaps with a replay; `explain` says whether runs are recorded. A
   * recorded run cannot be stopped midway. Four are kept, each with the memory of a run; where shapes change all the time, few
   * are made.
   * @default false
   */
  readonly cudaGraphs?: boolean;
  /**
   * Whether precision `fast` computes with this package's kernels on a GPU: products of float32 by tensor cores, as three
   * products in TF32, whose errors are at most 1e-5 of the largest element, which take the memory of their weights twice,
   * and for which an infinity gives NaN; convolutions in channels-last order with what follows them; elementwise ops as one.
   * @default true on a GPU of compute capability 8.0 or more
   */
  readonly cudaKernels?: boolean;
  /** The memory in which results stay: `device` keeps those on a GPU there until they are read. @default "host" */
  readonly outputs?: Outputs;
  /** The folder of libtorch, with `include` and `lib`. @default what `PT2_LIBTORCH` names, or is found */
  readonly folder?: string;
}

const OPTIONS: { readonly [Name in keyof LibtorchOptions]-?: string } & OptionTypes = {
  device: "string",
  threads: "number",
  concurrency: "number",
  atOnceMs: "number",
  libraries: "array",
  flags: "object",
  weights: '"bfloat16"',
  mmap: "boolean",
  cache: "boolean | object",
  cudaGraphs: "boolean",
  cudaKernels: "boolean",
  outputs: '"host" | "device"',
  folder: "string",
};

/** Throws `backend.options` for an option that `libtorch` does not have, or whose value is impossible. */
export function requireLibtorchOptions(options: LibtorchOptions): void {
  requireOptions("libtorch()", options, OPTIONS, "backend.options");
  for (const name of ["threads", "concurrency"] as const) {
    const count = options[name];
    if (count === undefined || (Number.isInteger(count) && count > 0)) continue;
    throw backendError("backend.options", {
      what: `libtorch() does not take \`{ ${name}: ${count} }\``,
      advice: `Give \`${name}\` an integer from 1 on, or leave it out.`,
    });
  }
}
