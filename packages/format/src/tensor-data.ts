import { DTYPES, type DType } from "./dtype.ts";
import { formatError } from "./format-errors.ts";
import { elementCount, isContiguous, type View } from "./view.ts";
import type { WeightTensor } from "./weights.ts";

/** A tensor's elements, row by row and little-endian. */
export interface TensorData {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** Tensors by name, in the file's order. */
export type Tensors = ReadonlyMap<string, TensorData>;

/** Reads a tensor of an archive row by row: a view of its storage where it lies so, else a copy. */
export async function readTensor(tensor: WeightTensor, signal?: AbortSignal): Promise<TensorData> {
  const { name, dtype, shape, storage } = tensor;
  if (storage.nbytes === 0 && elementCount(shape) > 0) {
    throw formatError("format.weights", {
      what: "the tensor is declared without its bytes: the program was exported with fake weights",
      where: name,
      advice: "export with real weights, or supply them",
    });
  }
  return { dtype, shape, bytes: rowMajor(await storage.read({ signal }), tensor) };
}

/** The elements of a checked view row by row: a subarray where they lie so, else a copy. */
export function rowMajor(from: Uint8Array, view: View): Uint8Array {
  const { shape, strides } = view;
  const { itemsize } = DTYPES[view.dtype];
  const nbytes = elementCount(shape) * itemsize;
  if (nbytes === 0) return from.subarray(0, 0);
  if (isContiguous(view)) return from.subarray(view.storageOffset * itemsize, view.storageOffset * itemsize + nbytes);
  const into = new Uint8Array(nbytes);
  const index = new Array<number>(shape.length).fill(0);
  let source = view.storageOffset;
  for (let at = 0; at < nbytes; at += itemsize) {
    for (let byte = 0; byte < itemsize; byte++) into[at + byte] = from[source * itemsize + byte]!;
    for (let dim = shape.length - 1; dim >= 0; dim--) {
      source += strides[dim]!;
      if (++index[dim]! < shape[dim]!) break;
      source -= strides[dim]! * shape[dim]!;
      index[dim] = 0;
    }
  }
  return into;
}
