import { DTYPES, type DType } from "@pt2/format";
import { convert, type ScalarValue } from "@pt2/registry/scalar";

/** How a group's operands move over its iteration space. Strides count elements, one list for each operand. */
export interface Geometry {
  readonly shape: readonly number[];
  readonly strides: readonly (readonly number[])[];
}

/**
 * How an operand moves along the innermost dimension: to the next element, to the one after it, as parts of complex numbers lie, not
 * at all, or by a stride of the block.
 */
export type InnerMode = "unit" | "pair" | "zero" | "strided";

/**
 * Returns the same elements in as few dimensions as possible: dimensions of one element go, the others are ordered by
 * the strides of operand `order` (the first output), and neighbors that every operand crosses in one stride are
 * merged. So operands that are all channels-last become flat. At least one dimension is left.
 */
export function coalesce(shape: readonly number[], strides: readonly (readonly number[])[], order: number): Geometry {
  const guide = strides[order] as readonly number[];
  const dims = shape
    .map((_, d) => d)
    .filter((d) => shape[d] !== 1)
    .sort((a, b) => (guide[b] as number) - (guide[a] as number) || a - b);
  const sizes: number[] = [];
  const steps: number[][] = [];
  for (const d of dims) {
    const size = shape[d] as number;
    const step = strides.map((of) => of[d] as number);
    const outer = steps.at(-1);
    if (outer?.every((value, k) => value === (step[k] as number) * size)) {
      sizes.push((sizes.pop() as number) * size);
      steps.pop();
    } else sizes.push(size);
    steps.push(step);
  }
  if (sizes.length === 0) return { shape: [1], strides: strides.map(() => [1]) };
  return { shape: sizes, strides: strides.map((_, k) => steps.map((step) => step[k] as number)) };
}

/** Returns the inner mode of each operand. */
export function innerModes({ strides }: Geometry, dtypes: readonly DType[]): readonly InnerMode[] {
  return strides.map((of, k) => {
    const inner = of.at(-1);
    if (inner === 2 && PAIRED.has(dtypes[k]!)) return "pair";
    return inner === 1 ? "unit" : inner === 0 ? "zero" : "strided";
  });
}

/** The dtypes of parts of complex numbers, but for float16. */
const PAIRED: ReadonlySet<DType> = new Set<DType>(["float32", "float64"]);

/** A number that a kernel reads from its block. */
export interface BlockNumber {
  readonly dtype: DType;
  readonly value: ScalarValue;
}

/** The position of the first pointer in a block. */
const POINTERS = 2;

/**
 * Returns the position of a number in the block of this many operands: after inner extent, number of outer dimensions,
 * pointers and inner strides.
 */
export function numberWord(operands: number, index: number): number {
  return POINTERS + 2 * operands + 2 * index;
}

/** Returns the number of words before a block's dimensions. */
export function headerWords(operands: number, numbers: number): number {
  return numberWord(operands, numbers);
}

/** Returns the bytes that the block of a geometry takes. */
export function blockBytes({ shape, strides }: Geometry, numbers: number): number {
  return 4 * (headerWords(strides.length, numbers) + (shape.length - 1) * (1 + strides.length));
}

/**
 * Returns the block that a kernel reads, whose pointers to the operands (inputs, then outputs) are still to be set: the
 * geometry, and numbers.
 */
export function newBlock(
  { shape, strides }: Geometry,
  dtypes: readonly DType[],
  numbers: readonly BlockNumber[],
): Int32Array {
  const operands = strides.length;
  const words = new Int32Array(headerWords(operands, numbers.length) + (shape.length - 1) * (1 + operands));
  const bytes = (k: number, d: number): number => (strides[k]?.[d] as number) * DTYPES[dtypes[k] as DType].itemsize;
  const inner = shape.length - 1;
  words[0] = shape[inner] as number;
  words[1] = inner;
  for (let k = 0; k < operands; k++) words[POINTERS + operands + k] = bytes(k, inner);
  const view = new DataView(words.buffer);
  for (const [i, { dtype, value }] of numbers.entries()) writeNumber(view, 4 * numberWord(operands, i), dtype, value);
  let at = headerWords(operands, numbers.length);
  for (let d = inner - 1; d >= 0; d--) {
    words[at++] = shape[d] as number;
    for (let k = 0; k < operands; k++) words[at++] = bytes(k, d);
  }
  return words;
}

/**
 * Writes a block to memory, at an address that is a multiple of 4, with its pointers. Kernels do not change it, so it may
 * be written once and used for every run, even from several threads.
 */
export function writeBlock(
  memory: Int32Array,
  address: number,
  block: Int32Array,
  pointers: { readonly length: number; readonly [k: number]: number },
): void {
  for (let k = 0; k < pointers.length; k++) block[POINTERS + k] = pointers[k] as number;
  // Most blocks are shorter than what it takes to call `set`.
  for (let i = 0, at = address >>> 2; i < block.length; i++) memory[at + i] = block[i] as number;
}

function writeNumber(view: DataView, at: number, dtype: DType, given: ScalarValue): void {
  const value = convert(dtype, given);
  if (dtype === "float32") view.setFloat32(at, Number(value), true);
  else if (dtype === "float64") view.setFloat64(at, Number(value), true);
  else if (dtype === "int64") view.setBigInt64(at, BigInt(value), true);
  else view.setInt32(at, Number(value), true);
}
