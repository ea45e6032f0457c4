// The first few elements of many, in the order of `std::partial_sort` of the GNU C++ library: a heap of the first of them, the last one
// in front, takes each further element that comes before that. PyTorch finds the first few with it, so this decides which of equal
// elements are taken, and in which order.

/** The bytes of scratch memory that `selectFirst` needs for `k` elements: their keys, and their positions. */
export function selectScratch(k: i32): usize {
  return <usize>k * 12;
}

/**
 * Writes the first `k` (1 to `n`) of `n` elements in ascending or descending order, and their positions as int64. NaN counts as the
 * largest, all NaNs are equal, and so are both zeros. Strides are in bytes. The `type` of elements: 0 is float32, 1 float64, 2 int64,
 * 3 int32, 4 int16, 5 uint16, 6 int8, 7 uint8, 8 float16 and 9 bfloat16.
 */
export function selectFirst(
  type: i32, x: usize, stride: i32, n: i32, k: i32, descending: i32,
  values: usize, valueStride: i32, positions: usize, positionStride: i32, scratch: usize,
): void {
  if (type == 0) floats(x, stride, n, k, descending, scratch);
  else if (type == 1) each<f64>(x, stride, n, k, descending, scratch);
  else if (type == 2) each<i64>(x, stride, n, k, descending, scratch);
  else if (type == 3) each<i32>(x, stride, n, k, descending, scratch);
  else if (type == 4) each<i16>(x, stride, n, k, descending, scratch);
  else if (type == 5) each<u16>(x, stride, n, k, descending, scratch);
  else if (type == 6) each<i8>(x, stride, n, k, descending, scratch);
  else if (type == 7) each<u8>(x, stride, n, k, descending, scratch);
  else halves(x, stride, n, k, descending, type == 8 ? 0x7c00 : 0x7f80, scratch);
  sortHeap(scratch, k);
  const size = type == 0 || type == 3 ? 4 : type < 3 ? 8 : type == 6 || type == 7 ? 1 : 2;
  for (let i = 0; i < k; i++, values += valueStride, positions += positionStride) {
    const position = positionAt(scratch, k, i);
    memory.copy(values, x + position * stride, size);
    store<i64>(positions, position);
  }
}

function floats(x: usize, stride: i32, n: i32, k: i32, descending: i32, heap: usize): void {
  fill<f32>(x, stride, k, descending, heap);
  let i = k;
  if (stride == 4) {
    for (let p = x + (i << 2); i + 4 <= n; i += 4, p += 16) {
      // Elements that may come before the last one that was taken, or are not numbers.
      const last = f32x4.splat(load<f32>(x + (positionAt(heap, k, 0) << 2)));
      const four = v128.load(p);
      const stays = descending ? f32x4.le(four, last) : f32x4.ge(four, last);
      if (i32x4.all_true(stays)) continue;
      for (let j = i; j < i + 4; j++) offer(heap, k, keyOf<f32>(x + (j << 2), descending), j);
    }
  }
  for (; i < n; i++) offer(heap, k, keyOf<f32>(x + i * stride, descending), i);
}

function each<T>(x: usize, stride: i32, n: i32, k: i32, descending: i32, heap: usize): void {
  fill<T>(x, stride, k, descending, heap);
  for (let i = k, p = x + k * stride; i < n; i++, p += stride) offer(heap, k, keyOf<T>(p, descending), i);
}

@inline
function fill<T>(x: usize, stride: i32, k: i32, descending: i32, heap: usize): void {
  for (let i = 0, p = x; i < k; i++, p += stride) put(heap, k, i, keyOf<T>(p, descending), i);
  makeHeap(heap, k);
}

/** Floats of 16 bits, whose infinity is given. */
function halves(x: usize, stride: i32, n: i32, k: i32, descending: i32, infinity: i32, heap: usize): void {
  for (let i = 0, p = x; i < k; i++, p += stride) put(heap, k, i, halfKey(p, infinity, descending), i);
  makeHeap(heap, k);
  for (let i = k, p = x + k * stride; i < n; i++, p += stride) offer(heap, k, halfKey(p, infinity, descending), i);
}

@inline
function halfKey(p: usize, infinity: i32, descending: i32): i64 {
  const bits = <i32>load<i16>(p), size = bits & 0x7fff;
  const key: i64 = size > infinity ? 0x8000 : bits < 0 ? -size : size;
  return descending ? ~key : key;
}

/** A number that is smaller for what comes first. */
@inline
function keyOf<T>(p: usize, descending: i32): i64 {
  let key: i64;
  if (isFloat<T>()) {
    // Both zeros are one number.
    const value = load<T>(p) + <T>0;
    if (sizeof<T>() == 4) {
      const bits = reinterpret<i32>(<f32>value);
      key = value != value ? i32.MAX_VALUE : bits ^ ((bits >> 31) & 0x7fffffff);
    } else {
      const bits = reinterpret<i64>(<f64>value);
      key = value != value ? i64.MAX_VALUE : bits ^ ((bits >> 63) & i64.MAX_VALUE);
    }
  } else key = <i64>load<T>(p);
  return descending ? ~key : key;
}

@inline
function keyAt(heap: usize, i: i32): i64 {
  return load<i64>(heap + (<usize>i << 3));
}

@inline
function positionAt(heap: usize, k: i32, i: i32): i32 {
  return load<i32>(heap + (<usize>k << 3) + (<usize>i << 2));
}

@inline
function put(heap: usize, k: i32, i: i32, key: i64, position: i32): void {
  store<i64>(heap + (<usize>i << 3), key);
  store<i32>(heap + (<usize>k << 3) + (<usize>i << 2), position);
}

/** Takes an element that comes before the one in front, in its place. */
@inline
function offer(heap: usize, k: i32, key: i64, position: i32): void {
  if (key < keyAt(heap, 0)) siftDown(heap, k, 0, k, key, position);
}

function makeHeap(heap: usize, k: i32): void {
  for (let parent = (k >> 1) - 1; parent >= 0; parent--) {
    siftDown(heap, k, parent, k, keyAt(heap, parent), positionAt(heap, k, parent));
  }
}

function sortHeap(heap: usize, k: i32): void {
  for (let end = k - 1; end > 0; end--) {
    const key = keyAt(heap, end), position = positionAt(heap, k, end);
    put(heap, k, end, keyAt(heap, 0), positionAt(heap, k, 0));
    siftDown(heap, k, 0, end, key, position);
  }
}

/** Moves a hole in a heap of `size` down to a leaf along the larger children, and from there an element up to its place. */
function siftDown(heap: usize, k: i32, top: i32, size: i32, key: i64, position: i32): void {
  let hole = top;
  for (let child = 2 * hole + 2; child <= size; child = 2 * hole + 2) {
    if (child == size || keyAt(heap, child) < keyAt(heap, child - 1)) child--;
    put(heap, k, hole, keyAt(heap, child), positionAt(heap, k, child));
    hole = child;
  }
  while (hole > top) {
    const parent = (hole - 1) >> 1;
    if (keyAt(heap, parent) >= key) break;
    put(heap, k, hole, keyAt(heap, parent), positionAt(heap, k, parent));
    hole = parent;
  }
  put(heap, k, hole, key, position);
}
