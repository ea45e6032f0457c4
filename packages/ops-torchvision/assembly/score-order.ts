// Boxes by descending score, NaN first, equal ones by ascending index: a radix sort of keys whose order that is.

/** The digits of a key: bytes, of which each takes one of 256 values. */
const DIGITS: i32 = 8;

/**
 * Sorts `n` float32 scores. `order`: the indices, int64; `keys` and `indices`: room for 2n numbers of 8 and of 4 bytes;
 * `counts`: room for 256 numbers of 4 bytes.
 */
export function sortByScore32(scores: usize, order: usize, keys: usize, indices: usize, counts: usize, n: i32): void {
  for (let i = 0; i < n; i++) store<u64>(keys + (<usize>i << 3), keyOf(<f64>load<f32>(scores + (<usize>i << 2))));
  sort(order, keys, indices, counts, n);
}

/** Sorts `n` float64 scores. */
export function sortByScore64(scores: usize, order: usize, keys: usize, indices: usize, counts: usize, n: i32): void {
  for (let i = 0; i < n; i++) store<u64>(keys + (<usize>i << 3), keyOf(load<f64>(scores + (<usize>i << 3))));
  sort(order, keys, indices, counts, n);
}

/** A number that is smaller for a larger score. */
function keyOf(score: f64): u64 {
  if (score != score) return 0;
  // Both zeros are one score.
  const bits = reinterpret<u64>(score + 0);
  return bits >> 63 ? bits : ~(bits | (<u64>1 << 63));
}

function sort(order: usize, keys: usize, indices: usize, counts: usize, n: i32): void {
  let from = keys, to = keys + (<usize>n << 3);
  let fromIndex = indices, toIndex = indices + (<usize>n << 2);
  for (let i = 0; i < n; i++) store<i32>(fromIndex + (<usize>i << 2), i);
  for (let digit = 0; digit < DIGITS; digit++) {
    const shift = <u64>(digit << 3);
    memory.fill(counts, 0, 1024);
    for (let i = 0; i < n; i++) {
      const count = counts + (<usize>((load<u64>(from + (<usize>i << 3)) >> shift) & 255) << 2);
      store<i32>(count, load<i32>(count) + 1);
    }
    // Digits that all keys have in common change nothing: float32 has many.
    if (n == 0 || load<i32>(counts + (<usize>((load<u64>(from) >> shift) & 255) << 2)) == n) continue;
    let start = 0;
    for (let count = counts; count < counts + 1024; count += 4) {
      const size = load<i32>(count);
      store<i32>(count, start);
      start += size;
    }
    for (let i = 0; i < n; i++) {
      const key = load<u64>(from + (<usize>i << 3));
      const count = counts + (<usize>((key >> shift) & 255) << 2);
      const place = load<i32>(count);
      store<i32>(count, place + 1);
      store<u64>(to + (<usize>place << 3), key);
      store<i32>(toIndex + (<usize>place << 2), load<i32>(fromIndex + (<usize>i << 2)));
    }
    let swap = from;
    from = to;
    to = swap;
    swap = fromIndex;
    fromIndex = toIndex;
    toIndex = swap;
  }
  for (let i = 0; i < n; i++) store<i64>(order + (<usize>i << 3), <i64>load<i32>(fromIndex + (<usize>i << 2)));
}
