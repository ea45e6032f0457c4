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
  readonly library: string;
}

/** What op sets may bring for this backend. */
export type LibtorchKernelSource = LibtorchKernel | LibtorchLibrary;

/** Collects the kernels of a registry's op sets, and the libraries that must be loaded for them. */
export function kernelSourcesOf(registry: OpRegistry): {
  readonly kernels: readonly LibtorchKernel[];
  readonly libraries: readonly string[];
} {
  const sources = registry.kernelsFor("libtorch") as readonly LibtorchKernelSource[];
  return {
    kernels: sources.filter((source): source is LibtorchKernel => "call" in source),
    libraries: sources.flatMap((source) => ("library" in source ? source.library : [])),
  };
}
