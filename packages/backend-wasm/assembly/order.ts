// Sorting and selection of float32, by the bits: no branch depends on how two elements compare.

/** Bytes of elements, which take eight each, that are sorted by insertion: counters for so few would take longer. */
const FEW: usize = 32 << 3;

/** Numbers of bits that a first look at the elements tells apart, and that a pass of sorting does. */
const COARSE: i32 = 11, DIGIT: i32 = 8;

/** The bytes of scratch memory that `orderFloats` needs for `n` elements. */
export function orderScratch(n: i32): usize {
  return (<usize>n << 4) + (<usize>4 << COARSE);
}

/**
 * Writes the first `k` of `n` elements in ascending or descending order, and their positions as int64. NaN counts as the
 * largest; equal elements, and both zeros, come by position. Strides are in bytes. Unless `stable`, nothing is written
 * and 0 is returned where equal elements leave a choice of what is written; otherwise 1.
 */
export function orderFloats(
  x: usize, stride: i32, n: i32, k: i32, descending: i32, stable: i32,
  values: usize, valueStride: i32, positions: usize, positionStride: i32, scratch: usize,
): i32 {
  const counts = scratch, from = counts + (<usize>4 << COARSE);
  let end = from;
  if (k < n) {
    const last = lastCell(x, stride, n, k, descending, counts);
    for (let i = 0; i < n; i++, x += stride) {
      const key = keyOf(load<f32>(x), descending);
      store<u64>(end, (<u64>key << 32) | i);
      end += select<usize>(8, 0, key >> (32 - COARSE) <= last);
    }
    x -= n * stride;
  } else {
    for (let i = 0, p = x; i < n; i++, p += stride, end += 8) {
      store<u64>(end, (<u64>keyOf(load<f32>(p), descending) << 32) | i);
    }
  }
  const sorted = sortKeys(from, end, counts);
  if (!stable) {
    // The first one that is left out may be equal to the last one taken.
    const checked = min(sorted + (<usize>k << 3) + 8, sorted + (end - from));
    for (let p = sorted + 8; p < checked; p += 8) if (load<u32>(p, 4) == load<u32>(p - 8, 4)) return 0;
  }
  for (let p = sorted, stop = sorted + (<usize>k << 3); p < stop; p += 8) {
    const position = load<u32>(p);
    store<f32>(values, load<f32>(x + position * stride));
    store<i64>(positions, position);
    values += valueStride;
    positions += positionStride;
  }
  return 1;
}

/** A number that is smaller for what comes first. */
// @ts-ignore: decorator
@inline
function keyOf(value: f32, descending: i32): u32 {
  // Both zeros are one number.
  const bits = reinterpret<u32>(value + 0);
  const key: u32 = value != value ? u32.MAX_VALUE : bits ^ (<u32>(<i32>bits >> 31) | 0x80000000);
  return descending ? ~key : key;
}

/** The coarse cell that the `k`-th element is in. */
function lastCell(x: usize, stride: i32, n: i32, k: i32, descending: i32, counts: usize): u32 {
  memory.fill(counts, 0, <usize>4 << COARSE);
  for (let i = 0; i < n; i++, x += stride) {
    const count = counts + (<usize>(keyOf(load<f32>(x), descending) >> (32 - COARSE)) << 2);
    store<i32>(count, load<i32>(count) + 1);
  }
  let cell: u32 = 0;
  let upTo = load<i32>(counts);
  while (upTo < k) upTo += load<i32>(counts + (<usize>++cell << 2));
  return cell;
}

/** Sorts some numbers in place. The lower half is the position: of equal ones the first stays the first. */
function insertKeys(from: usize, end: usize): void {
  for (let next = from + 8; next < end; next += 8) {
    const item = load<u64>(next);
    let p = next;
    for (; p > from; p -= 8) {
      const before = load<u64>(p - 8);
      if (before <= item) break;
      store<u64>(p, before);
    }
    store<u64>(p, item);
  }
}

/** Sorts the numbers in [from, end), which may move to the same length after `end`, by their upper half, stably. */
function sortKeys(from: usize, end: usize, counts: usize): usize {
  const bytes = end - from;
  if (bytes <= FEW) {
    insertKeys(from, end);
    return from;
  }
  let to = end;
  for (let shift = 32; shift < 64; shift += DIGIT) {
    memory.fill(counts, 0, 4 << DIGIT);
    for (let p = from, stop = from + bytes; p < stop; p += 8) {
      const count = counts + (<usize>((load<u64>(p) >> shift) & ((1 << DIGIT) - 1)) << 2);
      store<i32>(count, load<i32>(count) + 1);
    }
    // Digits that all have in common change nothing.
    if (load<i32>(counts + (<usize>((load<u64>(from) >> shift) & ((1 << DIGIT) - 1)) << 2)) == <i32>(bytes >> 3)) continue;
    let start: i32 = 0;
    for (let count = counts; count < counts + (4 << DIGIT); count += 4) {
      const size = load<i32>(count);
      store<i32>(count, start);
      start += size;
    }
    for (let p = from, stop = from + bytes; p < stop; p += 8) {
      const item = load<u64>(p);
      const count = counts + (<usize>((item >> shift) & ((1 << DIGIT) - 1)) << 2);
      const place = load<i32>(count);
      store<i32>(count, place + 1);
      store<u64>(to + (<usize>place << 3), item);
    }
    const swap = from;
    from = to;
    to = swap;
  }
  return from;
}
