// Windows over elements that float32 does not have: those of each are listed.
import { FLOAT64, INT32 } from "./element-types";

/**
 * The largest element of each window of `planes` planes, and its position (int64) in the plane. Planes begin at `src` and what `starts`
 * lists, in bytes. The elements of window `w` are those from `ends[w - 1]` on to before `ends[w]` of a list: `offsets` in the plane, in bytes,
 * and `places`, which become positions. Of equals the first wins, of NaNs the last.
 */
export function poolLargest(
  type: i32, src: usize, starts: usize, planes: i32, windows: i32, ends: usize, offsets: usize, places: usize,
  values: usize, positions: usize,
): void {
  if (type == FLOAT64) largestDoubles(src, starts, planes, windows, ends, offsets, places, values, positions);
  else if (type == INT32) largest<i32>(src, starts, planes, windows, ends, offsets, places, values, positions);
  else largest<i64>(src, starts, planes, windows, ends, offsets, places, values, positions);
}

function largest<T>(
  src: usize, starts: usize, planes: i32, windows: i32, ends: usize, offsets: usize, places: usize,
  values: usize, positions: usize,
): void {
  for (let plane = 0; plane < planes; plane++, starts += 4) {
    const p = src + load<i32>(starts);
    let i = 0;
    for (let w = 0; w < windows; w++, values += sizeof<T>(), positions += 8) {
      const end = load<i32>(ends + (w << 2));
      let best = load<T>(p + load<i32>(offsets + (i << 2))), at = i;
      for (i++; i < end; i++) {
        const x = load<T>(p + load<i32>(offsets + (i << 2)));
        // Without a branch, which would guess wrong at every other element.
        const isNext = x > best;
        best = select<T>(x, best, isNext);
        at = select<i32>(i, at, isNext);
      }
      store<T>(values, best);
      store<i64>(positions, load<i32>(places + (at << 2)));
    }
  }
}

/** The same of float64: comparisons of vectors have no branch, where those of numbers do. */
function largestDoubles(
  src: usize, starts: usize, planes: i32, windows: i32, ends: usize, offsets: usize, places: usize,
  values: usize, positions: usize,
): void {
  const one = i64x2.splat(1);
  for (let plane = 0; plane < planes; plane++, starts += 4) {
    const p = src + load<i32>(starts);
    let tap = offsets, i = i64x2.splat(0);
    for (let w = 0; w < windows; w++, values += 8, positions += 8) {
      const end = offsets + (<usize>load<i32>(ends + (w << 2)) << 2);
      let best = v128.load64_splat(p + load<i32>(tap)), at = i;
      for (tap += 4, i = i64x2.add(i, one); tap < end; tap += 4, i = i64x2.add(i, one)) {
        const x = v128.load64_splat(p + load<i32>(tap));
        const isNext = v128.or(f64x2.gt(x, best), f64x2.ne(x, x));
        best = v128.bitselect(x, best, isNext);
        at = v128.bitselect(i, at, isNext);
      }
      v128.store64_lane(values, best, 0);
      store<i64>(positions, load<i32>(places + (<usize>i64x2.extract_lane(at, 0) << 2)));
    }
  }
}

/** The mean of each window of float64, whose sums are divided by what `divisors` (float64) lists. */
export function poolMeans(
  src: usize, starts: usize, planes: i32, windows: i32, ends: usize, offsets: usize, divisors: usize, values: usize,
): void {
  for (let plane = 0; plane < planes; plane++, starts += 4) {
    const p = src + load<i32>(starts);
    let i = 0;
    for (let w = 0; w < windows; w++, values += 8) {
      let sum: f64 = 0;
      for (const end = load<i32>(ends + (w << 2)); i < end; i++) sum += load<f64>(p + load<i32>(offsets + (i << 2)));
      store<f64>(values, sum / load<f64>(divisors + (w << 3)));
    }
  }
}
