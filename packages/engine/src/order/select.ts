import { nthElement, type Ordered, partialSort, sortRange } from "./sort.ts";

/**
 * The number of integers from which on PyTorch sorts a one-dimensional tensor by radix, which keeps the order of equal
 * ones.
 */
const RADIX = 32768;

/** Whether `sort` of PyTorch's CPU keeps the order of equal elements although `stable` is not set. */
export function sortsByRadix(
  rank: number,
  size: number,
  { integers, descending }: { readonly integers: boolean; readonly descending: boolean },
): boolean {
  return rank === 1 && integers && !descending && size >= RADIX;
}

/** Moves the first `k` of all elements to the front as `topk` does: a few by a heap, more by selection. */
export function selectFirst(ordered: Ordered, k: number, sorted: boolean): void {
  const size = ordered.at.length;
  if (k === 0) return;
  if (k * 64 <= size) {
    partialSort(ordered, 0, k, size);
  } else {
    nthElement(ordered, 0, k - 1, size);
    if (sorted) sortRange(ordered, 0, k - 1);
  }
}

/**
 * Moves the element that sorting would put at `k` there, as `kthvalue` does: Sedgewick's quicksort on one side only.
 */
export function selectKth({ keys, at }: Ordered, k: number): void {
  const isGreater = (i: number, j: number): boolean => keys[at[i]!]! > keys[at[j]!]!;
  const swap = (i: number, j: number): void => {
    const value = at[i]!;
    at[i] = at[j]!;
    at[j] = value;
  };
  let [left, right] = [0, at.length - 1];
  while (right > left) {
    if (right === left + 1) {
      if (isGreater(left, right)) swap(left, right);
      return;
    }
    swap((left + right) >> 1, left + 1);
    if (isGreater(left + 1, right)) swap(left + 1, right);
    if (isGreater(left, right)) swap(left, right);
    if (isGreater(left + 1, left)) swap(left + 1, left);
    let [i, j] = [left + 1, right];
    for (;;) {
      do i++;
      while (isGreater(left, i));
      do j--;
      while (isGreater(j, left));
      if (j < i) break;
      swap(i, j);
    }
    swap(left, j);
    if (j <= k) left = i;
    if (j >= k) right = j - 1;
  }
}

/**
 * Returns the position of the most frequent element as `mode` does: the smallest of those, the last of its equals once
 * sorted.
 */
export function selectMode(ordered: Ordered): number {
  const { keys, at } = ordered;
  sortRange(ordered, 0, at.length);
  let [found, most, count] = [at[0]!, 0, 0];
  for (let i = 0; i < at.length; i++) {
    count++;
    if (i + 1 < at.length && keys[at[i]!] === keys[at[i + 1]!]) continue;
    if (count > most) [found, most] = [at[i]!, count];
    count = 0;
  }
  return found;
}
