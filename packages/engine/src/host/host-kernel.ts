import { type CpuGenerator, viewAs } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { type ArgValue, isTensor, type LoweredTensor, type TensorMeta } from "@pt2/registry";
import { type KernelArgs, type KernelOp, namesOf } from "../plan/kernel-args.ts";
import type { RandomState } from "../plan/random-state.ts";
import { elementBytes } from "../staged/element-bytes.ts";
import type { OpKernel } from "../staged/kernel-set.ts";
import { type HostData, numberOf, type TensorType } from "../staged/run-value.ts";
import { type HostArray, hostArray, hostData } from "./host-array.ts";
import { generatorOf } from "./random/generator-of.ts";

/** What a host kernel gets besides the arguments of its call. */
export interface HostCall {
  /** Returns the elements of a tensor argument. */
  array(argument: TensorMeta): HostArray;
  /** Returns the elements of a tensor argument of int64, of which doubles lack some. */
  bigints(argument: TensorMeta): BigInt64Array;
  /** Returns the elements of a tensor argument of uint8, not as numbers of their own. */
  bytes(argument: TensorMeta): Uint8Array;
  /** Returns the shape of the n-th result. */
  shape(index: number): readonly number[];
  /** Returns the dtype of the n-th result. */
  dtype(index: number): DType;
  /** The backend's source of random numbers. */
  random(): CpuGenerator;
}

/**
 * An op that is rare and small where it occurs, as a plain function in double precision. Results are numbers in the
 * order of elements, for each result of the op; of a complex one the parts alternate. They are rounded to its dtype.
 */
export interface HostKernel extends OpKernel {
  run(call: HostCall, args: Readonly<Record<string, ArgValue>>): readonly ArrayLike<number | bigint>[];
  /** The tensor arguments whose elements it reads; of the others it gets the type. All by default. */
  readonly reads?: readonly string[];
}

/** Makes a host kernel that takes the calls which it accepts, all by default. The schemas of its ops type the arguments. */
// @__NO_SIDE_EFFECTS__
export function hostKernel<const Op extends KernelOp>(
  ops: readonly Op[],
  run: (call: HostCall, args: KernelArgs<Op>) => readonly ArrayLike<number | bigint>[],
  accepts: (args: KernelArgs<Op>) => boolean = () => true,
): HostKernel {
  return { ops: namesOf(ops), run, accepts } as unknown as HostKernel;
}

/** Returns the tensors among the arguments of a call whose elements a host kernel reads. */
export function tensorsRead({ reads }: HostKernel, args: Readonly<Record<string, ArgValue>>): readonly LoweredTensor[] {
  const given = Object.entries(args).filter(([name]) => reads?.includes(name) ?? true);
  return given.map(([, argument]) => argument).filter(isTensor);
}

/** One value for each element of a tuple. */
export type ForEach<Tuple extends readonly unknown[], Value> = { readonly [At in keyof Tuple]: Value };

/** A call of a host kernel, with everything that it reads in host memory. */
export interface HostRequest {
  readonly args: Readonly<Record<string, ArgValue>>;
  /** Returns the data of a tensor argument. It is not called for numbers that stand for tensors. */
  tensor(argument: TensorMeta): HostData;
  readonly results: readonly TensorType[];
  /** What the backend's kernels draw random numbers from. */
  readonly random: RandomState;
}

/** Runs a host kernel, and returns one entry per result. */
export function runHostKernel(kernel: HostKernel, { args, tensor, results, random }: HostRequest): readonly HostData[] {
  const dataOf = (argument: TensorMeta): HostData => wrappedData(argument) ?? tensor(argument);
  const call: HostCall = {
    array: (argument) => hostArray(dataOf(argument)),
    bigints: (argument) => viewAs("int64", dataOf(argument).bytes) as BigInt64Array,
    bytes: (argument) => dataOf(argument).bytes,
    shape: (index) => results[index]!.shape,
    dtype: (index) => results[index]!.dtype,
    random: () => generatorOf(random),
  };
  const computed = kernel.run(call, args);
  // An empty batch has no elements to compute.
  return results.map((type, i) => hostData(type, computed[i] ?? []));
}

/** A number that was given for a tensor, in the dtype that it has there. */
function wrappedData({ dtype, wrapped }: TensorMeta): HostData | null {
  if (wrapped === undefined) return null;
  return { dtype, shape: [], bytes: elementBytes(dtype, numberOf(wrapped)) };
}
