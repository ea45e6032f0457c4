import { numel, type TypedArray, viewAs } from "@pt2/backend";
import { backendError } from "@pt2/backend/staged";
import { bitsToFloat, DTYPES, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import type { OpName } from "@pt2/graph";
import { type ArgValue, isTensor } from "@pt2/registry";
import { convert } from "@pt2/registry/scalar";
import { readPlace } from "../engine/elements.ts";
import type { Heap } from "../engine/heap.ts";
import type { KernelCall, WasmKernel } from "../engine/kernel.ts";
import { addressOf, type Place } from "../engine/place.ts";

/** A tensor in double precision, row-major; of a complex one the parts alternate. */
export interface HostArray {
  readonly shape: readonly number[];
  readonly complex: boolean;
  readonly data: Float64Array;
}

/** What a host function sees of its call. */
export interface HostCall {
  /** A tensor argument. */
  array(name: string): HostArray;
  /** An argument that is no tensor. */
  arg<T>(name: string): T;
  /** Shape of the n-th result. */
  shape(index: number): readonly number[];
}

/**
 * A kernel for an op that is rare and small where it occurs: its tensors are copied out, a plain function computes in
 * double precision, and the results (one array per result, as {@link HostArray.data}) are rounded to their dtypes.
 */
export function hostKernel(ops: readonly OpName[], run: (call: HostCall) => readonly ArrayLike<number>[]): WasmKernel {
  return {
    ops,
    prepare(call) {
      const inputs = tensorArguments(call);
      const outputs = call.call.results.map((_, i) => call.output(i));
      call.step(() => {
        const results = run({
          array: (name) => readArray(call.heap, inputs.get(name)!),
          arg: (name) => call.arg(name),
          shape: (index) => outputs[index]!.shape,
        });
        // A batch of nothing has no results.
        for (const [i, out] of outputs.entries()) writeArray(call.heap, out, results[i] ?? []);
      });
    },
  };
}

function tensorArguments(call: KernelCall): ReadonlyMap<string, Place> {
  const entries = Object.entries(call.call.args).filter((entry): entry is [string, ArgValue] => isTensor(entry[1]));
  return new Map(entries.map(([name]) => [name, call.tensor(name)]));
}

function readArray(heap: Heap, place: Place): HostArray {
  const { dtype, shape } = place;
  const array = viewAs(dtype, readPlace(heap, place));
  const data = new Float64Array(array.length);
  const read = reader(dtype, array);
  for (let i = 0; i < data.length; i++) data[i] = read(i);
  return { shape, complex: DTYPES[dtype].kind === "complex", data };
}

function reader(dtype: DType, array: TypedArray): (index: number) => number {
  if (isSmallFloat(dtype)) return (i) => bitsToFloat(dtype, Number(array[i]));
  return (i) => Number(array[i]);
}

function writeArray(heap: Heap, place: Place, values: ArrayLike<number>): void {
  const { dtype, shape } = place;
  const wanted = (numel(shape) * DTYPES[dtype].itemsize) / elementBytes(dtype);
  if (values.length !== wanted) {
    throw backendError("backend.data", {
      what: `A result of shape [${shape.join(", ")}] has ${wanted} numbers, ${values.length} were computed`,
      advice: "Check the values that the program computes this from.",
    });
  }
  const address = addressOf(place);
  const bytes = heap.u8.subarray(address, address + values.length * elementBytes(dtype));
  const array = viewAs(dtype, bytes);
  const small = isSmallFloat(dtype);
  const big = array instanceof BigInt64Array || array instanceof BigUint64Array;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    array[i] = small ? floatToBits(dtype, value) : big ? (convert(dtype, value) as bigint) : value;
  }
}

/** Bytes of one number: half an element of a complex dtype. */
function elementBytes(dtype: DType): number {
  const { itemsize, kind } = DTYPES[dtype];
  return kind === "complex" ? itemsize / 2 : itemsize;
}
