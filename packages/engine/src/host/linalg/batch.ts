import { contiguousStrides } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import type { KernelArgs, KernelOp } from "../../plan/kernel-args.ts";
import { broadcastStrides } from "../../strides/layout.ts";
import { offsetsOf } from "../../strides/offsets.ts";
import type { HostArray } from "../host-array.ts";
import { type ForEach, type HostCall, type HostKernel, hostKernel } from "../host-kernel.ts";
import type { Matrix } from "./matrix.ts";

/** A batch of matrices, or of vectors; a vector is given as a matrix of one row. */
type Operand = TensorMeta | { readonly vectors: TensorMeta };

/**
 * A kernel for an op on matrices: it runs for each of a batch, the operands' batches broadcast. `run` gets a matrix of
 * each operand, and returns an array of real numbers or a matrix for each result.
 */
export function matrixKernel<const Op extends KernelOp, const Operands extends readonly Operand[]>(
  op: Op,
  operands: (args: KernelArgs<Op>) => Operands,
  run: (
    matrices: ForEach<Operands, Matrix>,
    args: KernelArgs<Op>,
    call: HostCall,
  ) => readonly (ArrayLike<number> | Matrix)[],
): HostKernel {
  return hostKernel([op], (call, args) => {
    const inputs = operands(args).map((operand) =>
      "vectors" in operand ? { array: call.array(operand.vectors), rank: 1 } : { array: call.array(operand), rank: 2 },
    );
    const batch = broadcastBatch(inputs.map(({ array, rank }) => array.shape.slice(0, array.shape.length - rank)));
    const lists = inputs.map(({ array, rank }) => matricesOf(array, rank, batch));
    const found = lists[0]!.map((_, i) => run(lists.map((list) => list[i]!) as ForEach<Operands, Matrix>, args, call));
    const count = found[0]?.length ?? 0;
    return Array.from({ length: count }, (_, k) => joined(found.map((results) => elementsOf(results[k]!))));
  });
}

function broadcastBatch(shapes: readonly (readonly number[])[]): readonly number[] {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, d) => {
    const sizes = shapes.map((shape) => shape[d - rank + shape.length] ?? 1);
    return sizes.find((size) => size !== 1) ?? 1;
  });
}

function matricesOf(array: HostArray, rank: number, batch: readonly number[]): readonly Matrix[] {
  const { shape } = array;
  const own = shape.slice(0, shape.length - rank);
  const [columns, rows] = [shape.at(-1)!, rank === 1 ? 1 : shape.at(-2)!];
  const strides = broadcastStrides({ shape: own, strides: contiguousStrides(own) }, batch);
  return Array.from(offsetsOf({ shape: batch, strides }), (at) => matrixAt(array, at, rows, columns));
}

function matrixAt({ complex, data }: HostArray, at: number, rows: number, columns: number): Matrix {
  const size = rows * columns;
  if (!complex) return { rows, columns, re: data.slice(at * size, (at + 1) * size), im: null };
  const part = (first: number): Float64Array =>
    Float64Array.from({ length: size }, (_, i) => data[2 * (at * size + i) + first]!);
  return { rows, columns, re: part(0), im: part(1) };
}

function elementsOf(result: ArrayLike<number> | Matrix): ArrayLike<number> {
  if (!("re" in result)) return result;
  const { re, im } = result;
  return im === null ? re : Float64Array.from({ length: 2 * re.length }, (_, i) => (i % 2 === 0 ? re : im)[i >> 1]!);
}

function joined(parts: readonly ArrayLike<number>[]): Float64Array {
  const result = new Float64Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}
