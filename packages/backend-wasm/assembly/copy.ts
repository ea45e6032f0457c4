// Copies between strided views of up to six dimensions. With `ALL_COPIES`, in a module of its own, elements of any size are copied by
// vectors where they lie apart, and transposed in registers.
import { gathered } from "./gathered";
import { interleave, LEAST_INTERLEAVED } from "./interleave";
import { transpose } from "./transpose";
import { transposeAny } from "./transpose-any";

/**
 * Where columns of a row span more than `WIDE` bytes, they are read in strips that span `NARROW`, or have so many columns at least: a
 * cache line is there until all of it is read.
 */
@inline
const WIDE: isize = 128 * 1024;
@inline
const NARROW: isize = 8 * 1024;
@inline
const LEAST_BYTES: isize = 32;
@inline
const LEAST: isize = 8;
/** Bytes of a row that are worth a call. */
@inline
const CALLED: i32 = 128;
/** Bytes from one of the three lists of a layout to the next. */
@inline
const LIST: usize = 24;
/** Where the scratch of a call begins, behind its layout. */
@inline
const SCRATCH: usize = 128;

/** Elements of one byte; see `copy4`. */
export function copy1(src: usize, dst: usize, layout: usize): void {
  if (ALL_COPIES) copy<u8>(src, dst, layout);
  else copyEach(src, dst, layout, 1);
}

/** Elements of two bytes; see `copy4`. */
export function copy2(src: usize, dst: usize, layout: usize): void {
  if (ALL_COPIES) copy<u16>(src, dst, layout);
  else copyEach(src, dst, layout, 2);
}

/**
 * Copies elements of four bytes. `layout` points to 18 integers: six sizes, the six strides of `src` and the six strides of
 * `dst`, in elements, unused dimensions in front with size 1. It is reordered: a copy has no order of its own. Behind it, 128
 * bytes from its begin, is 1 kB of scratch. Calls of several threads must not share either.
 */
export function copy4(src: usize, dst: usize, layout: usize): void {
  copy<u32>(src, dst, layout);
}

/** Elements of eight bytes; see `copy4`. */
export function copy8(src: usize, dst: usize, layout: usize): void {
  if (ALL_COPIES) copy<u64>(src, dst, layout);
  else copyEach(src, dst, layout, 8);
}

/** Copies rows, and elements of `bytes` one by one where these lie apart: those of other bytes than four that are few. */
function copyEach(src: usize, dst: usize, layout: usize, bytes: i32): void {
  order(layout);
  const columns = size(layout, 5);
  const stepFrom = from(layout, 5) * bytes, stepTo = to(layout, 5) * bytes;
  const isRow = stepFrom == bytes && stepTo == bytes;
  const rows = size(layout, 0) * size(layout, 1) * size(layout, 2) * size(layout, 3) * size(layout, 4);
  for (let row = 0; row < rows; row++) {
    let p = src, q = dst;
    for (let axis = 4, left = row; axis >= 0; axis--) {
      const at = left % size(layout, axis);
      p += at * from(layout, axis) * bytes;
      q += at * to(layout, axis) * bytes;
      left /= size(layout, axis);
    }
    if (isRow) {
      memory.copy(q, p, columns * bytes);
      continue;
    }
    for (let c = 0; c < columns; c++, p += stepFrom, q += stepTo) {
      if (bytes == 8) store<u64>(q, load<u64>(p));
      else if (bytes == 2) store<u16>(q, load<u16>(p));
      else store<u8>(q, load<u8>(p));
    }
  }
}

@inline
function size(layout: usize, axis: i32): i32 {
  return load<i32>(layout + (<usize>axis << 2));
}

@inline
function from(layout: usize, axis: i32): isize {
  return load<i32>(layout + LIST + (<usize>axis << 2));
}

@inline
function to(layout: usize, axis: i32): isize {
  return load<i32>(layout + 2 * LIST + (<usize>axis << 2));
}

function swap(layout: usize, a: i32, b: i32): void {
  for (let p = layout; p < layout + 3 * LIST; p += LIST) {
    const held = size(p, a);
    store<i32>(p + (<usize>a << 2), size(p, b));
    store<i32>(p + (<usize>b << 2), held);
  }
}

/** Moves the dimension with unit stride in `dst` to the last place, the one with unit stride in `src` before it. */
function order(layout: usize): void {
  for (let axis = 0; axis < 5; axis++) {
    if (size(layout, axis) > 1 && to(layout, axis) == 1 && (size(layout, 5) == 1 || to(layout, 5) != 1)) swap(layout, axis, 5);
  }
  for (let axis = 0; axis < 4; axis++) {
    if (size(layout, axis) > 1 && from(layout, axis) == 1) swap(layout, axis, 4);
  }
}

@inline
function offset(strides: usize, a: isize, b: isize, c: isize, d: isize): isize {
  return a * size(strides, 0) + b * size(strides, 1) + c * size(strides, 2) + d * size(strides, 3);
}

@inline
function copy<T>(src: usize, dst: usize, layout: usize): void {
  order(layout);
  for (let a = 0; a < size(layout, 0); a++) {
    for (let b = 0; b < size(layout, 1); b++) {
      for (let c = 0; c < size(layout, 2); c++) {
        for (let d = 0; d < size(layout, 3); d++) {
          const p = offset(layout + LIST, a, b, c, d), q = offset(layout + 2 * LIST, a, b, c, d);
          plane<T>(src + p * sizeof<T>(), dst + q * sizeof<T>(), layout);
        }
      }
    }
  }
}

/** Whether so many planes are interleaved by registers. */
@inline
function isFew<T>(planes: i32): bool {
  return sizeof<T>() < 8 && planes > 1 && planes < (sizeof<T>() == 4 ? 4 : 5);
}

@inline
function move<T>(p: usize, q: usize, bytes: i32): void {
  for (; bytes >= 16; bytes -= 16, p += 16, q += 16) v128.store(q, v128.load(p));
  for (; bytes > 0; bytes -= sizeof<T>(), p += sizeof<T>(), q += sizeof<T>()) store<T>(q, load<T>(p));
}

@inline
function plane<T>(src: usize, dst: usize, layout: usize): void {
  const rows = size(layout, 4), columns = size(layout, 5);
  const rowFrom = from(layout, 4), rowTo = to(layout, 4), stepFrom = from(layout, 5), stepTo = to(layout, 5);
  if (stepTo == 1 && stepFrom == 1) {
    const bytes = columns * <i32>sizeof<T>();
    for (let r = 0; r < rows; r++, src += rowFrom * sizeof<T>(), dst += rowTo * sizeof<T>()) {
      if (!ALL_COPIES || bytes >= CALLED) memory.copy(dst, src, bytes);
      else move<T>(src, dst, bytes);
    }
  } else if (ALL_COPIES && stepTo == 1 && rowFrom == 1 && stepFrom == rows && isFew<T>(rows) && columns >= LEAST_INTERLEAVED) {
    interleave(src, dst, rowTo * sizeof<T>(), rows, columns, sizeof<T>(), false, layout + SCRATCH);
  } else if (ALL_COPIES && stepTo == 1 && rowFrom == 1 && rowTo == columns && isFew<T>(columns) && rows >= LEAST_INTERLEAVED) {
    interleave(dst, src, stepFrom * sizeof<T>(), columns, rows, sizeof<T>(), true, layout + SCRATCH);
  } else if (sizeof<T>() == 4 && stepTo == 1 && rowFrom == 1) {
    transpose(src, dst, columns, rows, <i32>stepFrom, <i32>rowTo, layout + SCRATCH);
  } else if (ALL_COPIES && sizeof<T>() != 4 && stepTo == 1 && rowFrom == 1) {
    transposeAny<T>(src, dst, rows, columns, stepFrom * sizeof<T>(), rowTo * sizeof<T>());
  } else {
    const span = abs(stepFrom) * sizeof<T>();
    const isAcross = abs(rowFrom) < abs(stepFrom) && span * columns > WIDE;
    const least = max(LEAST, LEAST_BYTES / <isize>sizeof<T>());
    const strip = max(isAcross ? min(columns, <i32>max(least, NARROW / span & ~15)) : columns, 1);
    const lanes = 16 / <i32>sizeof<T>();
    const isVector = (sizeof<T>() == 4 || (ALL_COPIES && (sizeof<T>() < 4 || stepFrom == -1))) && stepTo == 1 && strip >= lanes;
    for (let start = 0; start < columns; start += strip) {
      const end = min(start + strip, columns);
      for (let r = 0, s = src, d = dst; r < rows; r++, s += rowFrom * sizeof<T>(), d += rowTo * sizeof<T>()) {
        let p = s + start * stepFrom * sizeof<T>(), q = d + start * stepTo * sizeof<T>();
        let c = start;
        if (isVector) {
          for (; c + lanes <= end; c += lanes, p += 16 * stepFrom, q += 16) v128.store(q, gathered<T>(p, stepFrom));
        }
        for (; c < end; c++, p += stepFrom * sizeof<T>(), q += stepTo * sizeof<T>()) store<T>(q, load<T>(p));
      }
    }
  }
}
