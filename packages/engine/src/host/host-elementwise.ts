import { numel } from "@pt2/backend";
import type { TensorMeta } from "@pt2/registry";
import type { KernelArgs, KernelOp } from "../plan/kernel-args.ts";
import { broadcastPositions } from "../strides/broadcast.ts";
import { type ForEach, type HostKernel, hostKernel } from "./host-kernel.ts";

/** An elementwise op that scalar expressions cannot express, as a function of one element of each operand. */
export function hostElementwise<const Op extends KernelOp, const Operands extends readonly TensorMeta[]>(
  op: Op,
  operands: (args: KernelArgs<Op>) => Operands,
  compute: (...values: ForEach<Operands, number>) => number,
): HostKernel {
  return hostKernel([op], (call, args) => {
    const shape = call.shape(0);
    const inputs = operands(args).map((operand) => {
      const { shape: own, data } = call.array(operand);
      return { data, positions: broadcastPositions(own, shape) };
    });
    const out = new Float64Array(numel(shape));
    for (let i = 0; i < out.length; i++) {
      const values = inputs.map(({ data, positions }) => data[positions[i]!]!);
      out[i] = compute(...(values as ForEach<Operands, number>));
    }
    return [out];
  });
}
