import { DTYPES, type DType } from "./dtype.ts";
import { formatError } from "./format-errors.ts";
import { isContiguous, numel, type View } from "./view.ts";
import type { WeightTensor } from "./weight-tensor.ts";

/** A contiguous tensor's elements, little-endian. */
export interface TensorData {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** Tensors by name, in the order of the file. */
export type Tensors = ReadonlyMap<string, TensorData>;

/** Reads a tensor of an archive as contiguous bytes: a view of its storage where that is contiguous, else a copy. */
export async function readTensor(tensor: WeightTensor, signal?: AbortSignal): Promise<TensorData> {
  const { name, dtype, shape, storage } = Object(tensor) as Partial<WeightTensor>;
  if (storage === undefined || dtype === undefined || shape === undefined) {
    throw formatError("format.options", {
      what: "readTensor() got no weight",
      advice: "pass one of `weights()` of an archive",
    });
  }
  if (storage.nbytes === 0 && numel(shape) > 0) {
    throw formatError("format.weights", {
      what: "the file has no bytes of the tensor: the program was exported with fake weights",
      where: name,
      advice: "export with real weights, or supply the tensor yourself",
    });
  }
  return { dtype, shape, bytes: rowMajor(await storage.read({ signal }), tensor) };
}

/** Returns the elements of a checked view as contiguous bytes: a subarray where possible, else a copy. */
export function rowMajor(from: Uint8Array, view: View): Uint8Array {
  const { shape } = view;
  const { itemsize } = DTYPES[view.dtype];
  const nbytes = numel(shape) * itemsize;
  if (nbytes === 0) return from.subarray(0, 0);
  if (isContiguous(view)) return from.subarray(view.storageOffset * itemsize, view.storageOffset * itemsize + nbytes);
  const into = new Uint8Array(nbytes);
  gather(from, into, itemsize, view);
  return into;
}

const WORDS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array } as const;

/** Copies a strided view into memory, in the widest words that alignment allows. */
function gather(from: Uint8Array, into: Uint8Array, itemsize: number, view: View): void {
  const width = ([4, 2] as const).find((bytes) => (itemsize | from.byteOffset) % bytes === 0) ?? 1;
  const words = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
    new WORDS[width](buffer as ArrayBuffer, byteOffset, Math.floor(byteLength / width));
  const [source, target] = [words(from), words(into)];
  // An element of several words is treated as one more dimension.
  const perItem = itemsize / width;
  const shape = perItem === 1 ? view.shape : [...view.shape, perItem];
  const strides = [...view.strides.map((stride) => stride * perItem), ...(perItem === 1 ? [] : [1])];
  const [columns, step] = [shape.at(-1)!, strides.at(-1)!];

  const index = new Array<number>(shape.length).fill(0);
  let row = view.storageOffset * perItem;
  for (let at = 0; at < target.length; at += columns) {
    for (let column = 0; column < columns; column++) target[at + column] = source[row + column * step]!;
    for (let dim = shape.length - 2; dim >= 0; dim--) {
      row += strides[dim]!;
      if (++index[dim]! < shape[dim]!) break;
      row -= strides[dim]! * shape[dim]!;
      index[dim] = 0;
    }
  }
}
