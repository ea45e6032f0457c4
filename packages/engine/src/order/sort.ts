/**
 * Positions of elements, with a key for each position that the elements are ordered by. {@link setKeys} makes them: no key
 * is NaN, but for ops that compare the elements themselves.
 */
export interface Ordered {
  readonly keys: Float64Array;
  readonly at: Int32Array;
}

/** Ranges of at most this many elements are left to insertion sort. */
const SHORT = 16;

/**
 * Sorts `at[first, last)` as `std::sort` of the GNU C++ library does. PyTorch's CPU kernels sort with it, so this
 * decides which of equal elements comes first: quicksort around the median of three, heap sort where that degenerates,
 * and one insertion sort at the end.
 */
export function sortRange(ordered: Ordered, first: number, last: number): void {
  if (last - first > SHORT) quickSort(ordered, first, last, depthLimit(last - first));
  insertionSort(ordered, first, last);
}

/** Moves the smallest `middle - first` elements of a range to its beginning, sorted, as `std::partial_sort` does. */
export function partialSort(ordered: Ordered, first: number, middle: number, last: number): void {
  heapSelect(ordered, first, middle, last);
  const { at } = ordered;
  for (let end = middle - 1; end > first; end--) {
    const value = at[end]!;
    at[end] = at[first]!;
    siftDown(ordered, first, 0, end - first, value);
  }
}

/** Moves the element that sorting would put at `nth` there, and smaller ones before it, as `std::nth_element` does. */
export function nthElement(ordered: Ordered, first: number, nth: number, last: number): void {
  if (first === last || nth === last) return;
  let [low, high, depth] = [first, last, depthLimit(last - first)];
  while (high - low > 3) {
    if (depth-- === 0) {
      heapSelect(ordered, low, nth + 1, high);
      swap(ordered.at, low, nth);
      return;
    }
    const cut = partition(ordered, low, high);
    if (cut <= nth) low = cut;
    else high = cut;
  }
  insertionSort(ordered, low, high);
}

function depthLimit(size: number): number {
  return 2 * (31 - Math.clz32(size));
}

function quickSort(ordered: Ordered, first: number, last: number, depth: number): void {
  let [end, left] = [last, depth];
  while (end - first > SHORT) {
    if (left-- === 0) {
      partialSort(ordered, first, end, end);
      return;
    }
    const cut = partition(ordered, first, end);
    quickSort(ordered, cut, end, left);
    end = cut;
  }
}

/** Splits a range around the median of its second, middle and last element, which goes to the front. */
function partition(ordered: Ordered, first: number, last: number): number {
  const { keys, at } = ordered;
  const middle = first + Math.floor((last - first) / 2);
  swap(at, first, medianOf(ordered, first + 1, middle, last - 1));
  const pivot = keys[at[first]!]!;
  let [low, high] = [first + 1, last];
  for (;;) {
    while (keys[at[low]!]! < pivot) low++;
    high--;
    while (pivot < keys[at[high]!]!) high--;
    if (low >= high) return low;
    swap(at, low, high);
    low++;
  }
}

/** Returns which of three positions has the median of their elements. */
function medianOf({ keys, at }: Ordered, a: number, b: number, c: number): number {
  const [x, y, z] = [keys[at[a]!]!, keys[at[b]!]!, keys[at[c]!]!];
  if (x < y) return y < z ? b : x < z ? c : a;
  return x < z ? a : y < z ? c : b;
}

/**
 * Sorts a range by moving each element to its place among those before; the order of equal ones is kept. What is less than
 * the first element of a short range goes before it at once, which where keys are NaN is another place.
 */
export function insertionSort({ keys, at }: Ordered, first: number, last: number): void {
  for (let i = first + 1; i < last; i++) {
    const value = at[i]!;
    const key = keys[value]!;
    const isLeast = i < first + SHORT && key < keys[at[first]!]!;
    let hole = i;
    for (; hole > first && (isLeast || key < keys[at[hole - 1]!]!); hole--) at[hole] = at[hole - 1]!;
    at[hole] = value;
  }
}

/** Makes a heap of `[first, middle)` that holds the smallest elements, its largest in front. */
function heapSelect(ordered: Ordered, first: number, middle: number, last: number): void {
  const { keys, at } = ordered;
  const size = middle - first;
  for (let parent = Math.floor(size / 2) - 1; parent >= 0; parent--) {
    siftDown(ordered, first, parent, size, at[first + parent]!);
  }
  for (let i = middle; i < last; i++) {
    const value = at[i]!;
    if (!(keys[value]! < keys[at[first]!]!)) continue;
    at[i] = at[first]!;
    siftDown(ordered, first, 0, size, value);
  }
}

/** Moves a hole in a heap down to a leaf along the larger children, and from there `value` up to its position. */
function siftDown({ keys, at }: Ordered, first: number, top: number, size: number, value: number): void {
  let hole = top;
  for (let child = 2 * hole + 2; child <= size; child = 2 * hole + 2) {
    if (child === size || keys[at[first + child]!]! < keys[at[first + child - 1]!]!) child--;
    at[first + hole] = at[first + child]!;
    hole = child;
  }
  const key = keys[value]!;
  for (let parent = (hole - 1) >> 1; hole > top && keys[at[first + parent]!]! < key; parent = (hole - 1) >> 1) {
    at[first + hole] = at[first + parent]!;
    hole = parent;
  }
  at[first + hole] = value;
}

function swap(at: Int32Array, i: number, j: number): void {
  const value = at[i]!;
  at[i] = at[j]!;
  at[j] = value;
}
