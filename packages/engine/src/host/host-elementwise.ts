import { numel } from "@pt2/backend";
import type { TensorMeta } from "@pt2/registry";
import type { KernelArgs, KernelOp } from "../plan/kernel-args.ts";
import { broadcastPositions } from "../strides/broadcast.ts";
import type { HostArray } from "./host-array.ts";
import { type ForEach, type HostCall, type HostKernel, hostKernel } from "./host-kernel.ts";

/** An elementwise op that scalar expressions cannot express, as a function of one element of each of one or two operands. */
export function hostElementwise<const Op extends KernelOp, const Given extends readonly TensorMeta[]>(
  op: Op,
  operands: (args: KernelArgs<Op>) => Given,
  compute: (...values: ForEach<Given, number>) => number,
): HostKernel {
  return hostKernel([op], (call, args) => [mapElements(call, operands(args), compute)]);
}

/** Computes a number for each element of a result from the elements of one or two operands, which broadcast to its shape. */
export function mapElements<const Given extends readonly TensorMeta[]>(
  call: HostCall,
  operands: Given,
  compute: (...values: ForEach<Given, number>) => number,
): Float64Array {
  const [first, second] = operands;
  const shape = call.shape(0);
  const apply = compute as (x: number, y?: number) => number;
  // What was expanded is a copy, in which each result takes the place of its operand.
  const x = expanded(call.array(first!), shape);
  if (second === undefined) {
    for (let i = 0; i < x.length; i++) x[i] = apply(x[i]!);
    return x;
  }
  const y = expanded(call.array(second), shape);
  for (let i = 0; i < x.length; i++) x[i] = apply(x[i]!, y[i]!);
  return x;
}

/** Returns the elements for a shape that an array broadcasts to. */
function expanded({ shape: own, data }: HostArray, shape: readonly number[]): Float64Array {
  const length = numel(shape);
  if (data.length === length) return data;
  if (data.length === 1) return new Float64Array(length).fill(data[0]!);
  const positions = broadcastPositions(own, shape);
  const elements = new Float64Array(length);
  for (let i = 0; i < length; i++) elements[i] = data[positions[i]!]!;
  return elements;
}
