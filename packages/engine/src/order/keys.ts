import { viewAs } from "@pt2/backend";
import { bitsToFloat, DTYPES, type DType, isSmallFloat } from "@pt2/format";
import { stableSort } from "./stable-sort.ts";

/** Elements in memory: the one at `start`, and further ones `stride` elements apart from each other. */
export interface Column {
  readonly dtype: DType;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly stride: number;
}

/** Options of keys. */
interface KeyOptions {
  /** Whether the order is reversed. */
  readonly descending?: boolean;
  /** Whether NaN stays NaN, which sorts neither before nor after anything, as in `mode`. */
  readonly raw?: boolean;
}

/** The bits of infinity. Without its sign a float is in the order of its bits, and behind infinity are NaNs. */
const INFINITY: Readonly<Partial<Record<DType, number>>> = { float32: 0x7f800000, float16: 0x7c00, bfloat16: 0x7f80 };

/**
 * Sets keys to numbers in the order of as many elements, with NaN as the largest, which algorithms that only compare with
 * `<` can sort. Equal elements have equal keys; both zeros are equal, and so are all NaNs.
 */
export function setKeys(keys: Float64Array, column: Column, { descending = false, raw = false }: KeyOptions): void {
  const infinity = INFINITY[column.dtype];
  if (infinity !== undefined) setOrdinals(keys, column, infinity, raw);
  else if (column.dtype === "int64" || column.dtype === "uint64") setIntegers(keys, column);
  else setNumbers(keys, column, raw);
  if (descending) for (let i = 0; i < keys.length; i++) keys[i] = -keys[i]!;
}

function setOrdinals(
  keys: Float64Array,
  { dtype, bytes, start, stride }: Column,
  infinity: number,
  raw: boolean,
): void {
  const isHalf = DTYPES[dtype].itemsize === 2;
  const words = viewAs(isHalf ? "int16" : "int32", bytes) as Int16Array | Int32Array;
  const most = isHalf ? 0x7fff : 0x7fffffff;
  const missing = raw ? Number.NaN : infinity + 1;
  for (let i = 0, at = start; i < keys.length; i++, at += stride) {
    const word = words[at]!;
    const size = word & most;
    // This is `word < 0 ? -size : size`, which would guess wrong at every other element.
    const sign = word >> 31;
    keys[i] = size > infinity ? missing : (size ^ sign) - sign;
  }
}

/** Integers are read as two words each: a bigint for each would take ten times as long. */
function setIntegers(keys: Float64Array, { dtype, bytes, start, stride }: Column): void {
  const low = viewAs("uint32", bytes) as Uint32Array;
  const high = viewAs(dtype === "int64" ? "int32" : "uint32", bytes) as Int32Array | Uint32Array;
  let isSafe = true;
  for (let i = 0, at = 2 * start; i < keys.length; i++, at += 2 * stride) {
    keys[i] = high[at + 1]! * 2 ** 32 + low[at]!;
    isSafe &&= Math.abs(keys[i]!) <= Number.MAX_SAFE_INTEGER;
  }
  if (isSafe) return;
  // No double stands for some element.
  const word = (words: Int32Array | Uint32Array, k: number): Float64Array =>
    keys.map((_, i) => words[2 * (start + i * stride) + k]!);
  setRanks(keys, word(high, 1), word(low, 0));
}

function setNumbers(keys: Float64Array, { dtype, bytes, start, stride }: Column, raw: boolean): void {
  const array = viewAs(dtype, bytes) as Float64Array | Int32Array | Uint8Array;
  if (isSmallFloat(dtype))
    for (let i = 0; i < keys.length; i++) keys[i] = bitsToFloat(dtype, array[start + i * stride]!);
  else for (let i = 0; i < keys.length; i++) keys[i] = array[start + i * stride]!;
  if (raw || !keys.includes(Number.NaN)) return;
  setRanks(
    keys,
    keys.map((key) => Number(Number.isNaN(key))),
    keys.map((key) => (Number.isNaN(key) ? 0 : key)),
  );
}

/** Sets keys to how many different elements come before: in the order of a number, of equal ones in that of another. */
function setRanks(keys: Float64Array, first: Float64Array, second: Float64Array): void {
  const at = Int32Array.from(keys.keys());
  stableSort({ keys: second, at });
  stableSort({ keys: first, at });
  let rank = 0;
  for (let i = 0; i < at.length; i++) {
    const [before, own] = [at[i - 1] ?? at[i]!, at[i]!];
    if (first[before] !== first[own] || second[before] !== second[own]) rank++;
    keys[own] = rank;
  }
}
