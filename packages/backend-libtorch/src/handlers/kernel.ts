import type { OpName } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import type { OpArgs, OpResult, OpValue } from "../eager/op-args.ts";

/** Calls ops of libtorch from within a kernel. */
export interface KernelCalls {
  /** The device on which the program runs: `cpu` or `cuda:0`. */
  readonly device: string;
  /** Runs an op of the dispatcher and returns one entry per return. Tensors stay on the program's device. */
  call(op: OpName, args: OpArgs): Promise<readonly OpResult[]>;
}

/**
 * A kernel that an op set brings for this backend (`kernels: { libtorch: [...] }`): a function that computes the op from
 * other ops of libtorch.
 */
export interface LibtorchKernel {
  /** The ops that it computes, as `ns::op.overload`. */
  readonly ops: readonly OpName[];
  /**
   * Computes an op from its arguments by schema name, as the program gives them. It returns one entry per return of the
   * op.
   */
  call(args: Readonly<Record<string, OpValue>>, torch: KernelCalls): Promise<readonly OpResult[]>;
}

/** A shared library that registers the op set's ops with TORCH_LIBRARY. It is loaded once, before the program. */
export interface LibtorchLibrary {
  readonly library: string | URL;
}

/**
 * C++ sources of a shared library that registers ops with TORCH_LIBRARY, compiled where they run: once for each libtorch,
 * when a program is loaded that has one of the ops. Where libtorch has any of them already, by a library that was loaded
 * before, nothing is compiled. Where they cannot be compiled, records run instead, and a warning says why.
 */
export interface LibtorchSources {
  /** The ops that the library registers. */
  readonly ops: readonly OpName[];
  /** The files to compile. What they include lies beside or below them, or belongs to PyTorch. */
  readonly sources: readonly (string | URL)[];
  /** Flags for the compiler, after `-std=c++20 -O2`. @default none */
  readonly flags?: readonly string[];
  /** The oldest PyTorch whose headers have what the sources use. @default any that the backend runs on */
  readonly oldest?: string;
  /** Kernels of the same ops for GPUs. @default none: records run there */
  readonly cuda?: CudaSources;
}

/**
 * Sources in CUDA, compiled by `nvcc` to a library of their own where programs run on a GPU and there is a toolkit. They
 * register kernels only: the ops are those that the other sources define.
 */
export interface CudaSources {
  /** The files to compile, those in C++ among them. */
  readonly sources: readonly (string | URL)[];
  /** Flags for nvcc, after `-std=c++20 -O2 --expt-relaxed-constexpr`. @default none */
  readonly flags?: readonly string[];
}

/** What op sets may bring for this backend. */
export type LibtorchKernelSource = LibtorchKernel | LibtorchLibrary | LibtorchSources;

/** Collects the kernels of a registry's op sets, the libraries to load for them, and the sources to compile. */
export function kernelSourcesOf(registry: OpRegistry): {
  readonly kernels: readonly LibtorchKernel[];
  readonly libraries: readonly (string | URL)[];
  readonly sources: readonly LibtorchSources[];
} {
  const given = registry.kernelsFor("libtorch") as readonly LibtorchKernelSource[];
  return {
    kernels: given.filter((source): source is LibtorchKernel => "call" in source),
    libraries: given.flatMap((source) => ("library" in source ? [source.library] : [])),
    sources: given.filter((source): source is LibtorchSources => "sources" in source),
  };
}
