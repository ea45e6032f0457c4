import { contiguousStrides } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import type { KernelArgs, KernelOp } from "../../plan/kernel-args.ts";
import { broadcastStrides } from "../../strides/layout.ts";
import { offsetsOf } from "../../strides/offsets.ts";
import type { HostArray } from "../host-array.ts";
import { type ForEach, type HostCall, type HostKernel, hostKernel } from "../host-kernel.ts";
import type { Matrix } from "./matrix.ts";
import { copied, eachInRoom, zeros } from "./room.ts";

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
    const offsets = inputs.map(({ array, rank }) => batchOffsets(array, rank, batch));
    let results: readonly Float64Array[] | null = null;
    const count = offsets[0]!.length;
    eachInRoom(count, (i) => {
      const matrices = inputs.map(({ array, rank }, k) => matrixAt(array, rank, offsets[k]![i]!));
      const found = run(matrices as unknown as ForEach<Operands, Matrix>, args, call);
      results ??= found.map((result) => new Float64Array(count * elementsOf(result)));
      for (let k = 0; k < found.length; k++) store(found[k]!, results[k]!, i);
    });
    // An empty batch has no elements to compute.
    return results ?? [];
  });
}

function broadcastBatch(shapes: readonly (readonly number[])[]): readonly number[] {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, d) => {
    const sizes = shapes.map((shape) => shape[d - rank + shape.length] ?? 1);
    return sizes.find((size) => size !== 1) ?? 1;
  });
}

/** Where the matrices of an operand begin, counted in matrices, for each of a batch that its own batch broadcasts to. */
function batchOffsets({ shape }: HostArray, rank: number, batch: readonly number[]): Int32Array {
  const own = shape.slice(0, shape.length - rank);
  const strides = broadcastStrides({ shape: own, strides: contiguousStrides(own) }, batch);
  return Int32Array.from(offsetsOf({ shape: batch, strides }));
}

function matrixAt({ shape, complex, data }: HostArray, rank: number, at: number): Matrix {
  const columns = shape[shape.length - 1]!;
  const rows = rank === 1 ? 1 : shape[shape.length - 2]!;
  const size = rows * columns;
  if (!complex) return { rows, columns, re: copied(data, at * size, size), im: null };
  const [re, im] = [zeros(size), zeros(size)];
  for (let i = 0, from = 2 * at * size; i < size; i++, from += 2) {
    re[i] = data[from]!;
    im[i] = data[from + 1]!;
  }
  return { rows, columns, re, im };
}

/** How many numbers a result has; of a complex one the parts count. */
function elementsOf(result: ArrayLike<number> | Matrix): number {
  if (!("re" in result)) return result.length;
  return result.im === null ? result.re.length : 2 * result.re.length;
}

/** Writes the i-th of a batch of results. */
function store(result: ArrayLike<number> | Matrix, to: Float64Array, i: number): void {
  const isMatrix = "re" in result;
  const numbers = isMatrix ? result.re : result;
  if (!isMatrix || result.im === null) {
    for (let k = 0, at = i * numbers.length; k < numbers.length; k++, at++) to[at] = numbers[k]!;
    return;
  }
  for (let k = 0, at = 2 * i * numbers.length; k < numbers.length; k++, at += 2) {
    to[at] = numbers[k]!;
    to[at + 1] = result.im[k]!;
  }
}
