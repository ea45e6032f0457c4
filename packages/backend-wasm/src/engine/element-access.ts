import { isComplexDtype, partDtype } from "@pt2/engine";
import { bitsToFloat, DTYPES, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import { wasmError } from "../wasm-errors.ts";
import type { HeapArrays } from "./heap.ts";
import { addressOf, type TensorView } from "./tensor-view.ts";

/** Reads and writes elements of a tensor by element offset from its first one. Valid within one step. */
export interface Elements<T> {
  get(offset: number): T;
  set(offset: number, value: T): void;
}

type NumberArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;
type NumberArrayType = new (buffer: ArrayBufferLike) => NumberArray;

const ARRAYS: Readonly<Partial<Record<DType, NumberArrayType>>> = {
  uint8: Uint8Array,
  bool: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
};

/**
 * Accesses elements as numbers. int64 goes through doubles, exact up to 2^53: right for indices and counts; arithmetic
 * that may leave that range uses {@link bigints}.
 */
export function numbers(heap: HeapArrays, view: TensorView): Elements<number> {
  const { dtype } = view;
  const base = addressOf(view) / DTYPES[dtype].itemsize;
  if (dtype === "int64") {
    const array = heap.i64;
    return {
      get: (offset) => Number(array[base + offset]),
      set: (offset, value) => {
        array[base + offset] = BigInt(Math.trunc(value));
      },
    };
  }
  if (isSmallFloat(dtype)) {
    const array = DTYPES[dtype].itemsize === 2 ? new Uint16Array(heap.memory.buffer) : heap.u8;
    return {
      get: (offset) => bitsToFloat(dtype, array[base + offset]!),
      set: (offset, value) => {
        array[base + offset] = floatToBits(dtype, value);
      },
    };
  }
  const type = ARRAYS[dtype];
  if (type === undefined) {
    throw wasmError("wasm.dtype", {
      what: `The kernel does not accept ${dtype}`,
      advice: "Convert the operand to a dtype that the backend computes with.",
    });
  }
  const array = new type(heap.memory.buffer);
  const isBool = dtype === "bool";
  return {
    get: (offset) => array[base + offset]!,
    set: (offset, value) => {
      // A sum of flags is true where any flag is.
      array[base + offset] = isBool && value !== 0 ? 1 : value;
    },
  };
}

/** Accesses elements of an int64 tensor exactly. */
export function bigints(heap: HeapArrays, view: TensorView): Elements<bigint> {
  const base = addressOf(view) / 8;
  const array = heap.i64;
  return {
    get: (offset) => array[base + offset]!,
    set: (offset, value) => {
      array[base + offset] = BigInt.asIntN(64, value);
    },
  };
}

type Words = Uint8Array | Uint16Array | Uint32Array;

/**
 * Returns the memory as the words that elements of a dtype consist of, and the number of words. Doubles would change
 * some NaNs.
 */
export function wordsOf(heap: HeapArrays, dtype: DType): { readonly words: Words; readonly perElement: number } {
  const { itemsize } = DTYPES[dtype];
  const buffer = heap.memory.buffer;
  if (itemsize >= 4) return { words: new Uint32Array(buffer), perElement: itemsize / 4 };
  return { words: itemsize === 2 ? new Uint16Array(buffer) : heap.u8, perElement: 1 };
}

/** Returns a function that copies single elements between tensors of one dtype, whatever it is. */
export function mover(heap: HeapArrays, from: TensorView, to: TensorView): (source: number, target: number) => void {
  const { words, perElement } = wordsOf(heap, from.dtype);
  const [a, b] = [from, to].map((view) => addressOf(view) / words.BYTES_PER_ELEMENT) as [number, number];
  if (perElement === 1) {
    return (source, target) => {
      words[b + target] = words[a + source]!;
    };
  }
  return (source, target) => {
    for (let i = 0; i < perElement; i++) words[b + target * perElement + i] = words[a + source * perElement + i]!;
  };
}

/**
 * Views a complex tensor as its parts in turn: element i has its real part at twice its offset, and the imaginary one
 * after it.
 */
export function complexParts(view: TensorView): TensorView {
  return { ...view, dtype: partDtype(view.dtype), offset: 2 * view.offset };
}

/** Returns a function that adds single elements of one tensor to those of another of its dtype. */
export function adder(heap: HeapArrays, from: TensorView, to: TensorView): (source: number, target: number) => void {
  if (to.dtype === "int64") {
    const [x, y] = [bigints(heap, from), bigints(heap, to)];
    return (source, target) => y.set(target, y.get(target) + x.get(source));
  }
  const complex = isComplexDtype(to.dtype);
  const [x, y] = [from, to].map((view) => numbers(heap, complex ? complexParts(view) : view));
  const add = (source: number, target: number): void => y!.set(target, y!.get(target) + x!.get(source));
  if (!complex) return add;
  return (source, target) => {
    add(2 * source, 2 * target);
    add(2 * source + 1, 2 * target + 1);
  };
}
