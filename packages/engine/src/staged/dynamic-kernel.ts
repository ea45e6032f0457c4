import type { OpName } from "@pt2/graph";
import type { TensorMeta } from "@pt2/registry";
import { type KernelArgs, type KernelOp, namesOf } from "../plan/kernel-args.ts";
import type { HostData, RunValue } from "./run-value.ts";

/**
 * A kernel for an op whose result sizes (or their number) depend on data. It runs on host data, between two planned
 * stages.
 */
export interface DynamicKernel {
  readonly ops: readonly OpName[];
  /** Computes the results from arguments by schema name, tensors with their data. Returns one entry per return. */
  run(args: Readonly<Record<string, RunValue>>): readonly RunValue[];
}

/** Makes a dynamic kernel. The schemas of its ops type the arguments, whose tensors come with their data. */
// @__NO_SIDE_EFFECTS__
export function dynamicKernel<const Op extends KernelOp>(
  ops: readonly Op[],
  run: (args: DynamicArgs<Op>) => readonly RunValue[],
): DynamicKernel {
  return { ops: namesOf(ops), run: run as DynamicKernel["run"] };
}

type DynamicArgs<Op extends KernelOp> = {
  readonly [Name in keyof KernelArgs<Op>]: WithData<KernelArgs<Op>[Name]>;
};

type WithData<Arg> = Arg extends TensorMeta
  ? HostData
  : Arg extends readonly (infer Element)[]
    ? readonly WithData<Element>[]
    : Arg;
