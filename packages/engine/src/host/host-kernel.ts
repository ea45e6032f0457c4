import type { DType } from "@pt2/format";
import type { OpName } from "@pt2/graph";
import { type ArgValue, isTensorMeta } from "@pt2/registry";
import { elementBytes } from "../staged/element-bytes.ts";
import type { OpKernel } from "../staged/kernel-set.ts";
import { type HostData, numberOf, type TensorType } from "../staged/run-value.ts";
import { type HostArray, hostArray, hostData } from "./host-array.ts";
import type { RandomNumbers } from "./random/numbers.ts";

/** What a host kernel sees of its call. */
export interface HostCall {
  /** A tensor argument. */
  array(name: string): HostArray;
  /** An argument that is not a tensor. */
  arg<T>(name: string): T;
  /** Shape of the n-th result. */
  shape(index: number): readonly number[];
  /** Dtype of the n-th result. */
  dtype(index: number): DType;
  /** The executable's source of random numbers. */
  random(): RandomNumbers;
}

/**
 * An op that is rare and small where it occurs, as a plain function in double precision. Results are numbers in the
 * order of elements, for each result of the op; of a complex one the parts alternate. They are rounded to its dtype.
 */
export interface HostKernel extends OpKernel {
  run(call: HostCall): readonly ArrayLike<number>[];
}

/** A host kernel that takes all arguments of its ops. */
export function hostKernel(ops: readonly OpName[], run: HostKernel["run"]): HostKernel {
  return { ops, run };
}

/** A call of a host kernel, with everything that it reads in host memory. */
export interface HostRequest {
  readonly args: Readonly<Record<string, ArgValue>>;
  /** The data of a tensor argument, by its name. Numbers that stand for tensors are not asked for. */
  tensor(name: string): HostData;
  readonly results: readonly TensorType[];
  /** The executable's source of random numbers. */
  random(): RandomNumbers;
}

/** Runs a host kernel. One entry per result. */
export function runHostKernel(kernel: HostKernel, { args, tensor, results, random }: HostRequest): readonly HostData[] {
  const computed = kernel.run({
    array: (name) => hostArray(wrappedData(args[name]) ?? tensor(name)),
    arg: <T>(name: string) => args[name] as T,
    shape: (index) => results[index]!.shape,
    dtype: (index) => results[index]!.dtype,
    random,
  });
  // A batch of nothing has no results.
  return results.map((type, i) => hostData(type, computed[i] ?? []));
}

/** A number that was given for a tensor, in the dtype that it has there. */
function wrappedData(value: ArgValue | undefined): HostData | null {
  if (!isTensorMeta(value) || value.wrapped === undefined) return null;
  const { dtype, wrapped } = value;
  return { dtype, shape: [], bytes: elementBytes(dtype, numberOf(wrapped)) };
}
