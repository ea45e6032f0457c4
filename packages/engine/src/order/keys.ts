/** Options of keys. */
interface KeyOptions {
  /** Whether the order is reversed. */
  readonly descending?: boolean;
  /** Whether NaN stays NaN, which sorts neither before nor after anything, as in `mode`. */
  readonly raw?: boolean;
}

/**
 * Returns numbers in the order of `size` elements, with NaN as the largest, which algorithms that only compare with `<`
 * can sort. Equal elements have equal keys; both zeros are equal, and so are all NaNs.
 */
export function orderKeys(
  size: number,
  element: (index: number) => number | bigint,
  { descending = false, raw = false }: KeyOptions,
): Float64Array {
  const keys = new Float64Array(size);
  let plain = true;
  for (let i = 0; i < size; i++) {
    const value = element(i);
    const key = Number(value);
    plain &&= typeof value === "bigint" ? Number.isSafeInteger(key) : raw || !Number.isNaN(key);
    keys[i] = key;
  }
  if (!plain) setRanks(keys, element);
  if (descending) for (let i = 0; i < size; i++) keys[i] = -keys[i]!;
  return keys;
}

/** Sets keys to ranks where no double stands for an element: to the number of distinct elements that come before it. */
function setRanks(keys: Float64Array, element: (index: number) => number | bigint): void {
  const isBig = typeof element(0) === "bigint";
  const sorted = isBig
    ? BigInt64Array.from(keys, (_, i) => element(i) as bigint).sort()
    : Float64Array.from(keys).sort();
  for (let i = 0; i < keys.length; i++) {
    const value = element(i);
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (comesBefore(sorted[middle]!, value)) low = middle + 1;
      else high = middle;
    }
    keys[i] = low;
  }
}

function comesBefore(x: number | bigint, y: number | bigint): boolean {
  return x < y || (Number.isNaN(y) && !Number.isNaN(x));
}
