import { floats, Window } from "./conv-window";

/**
 * Tiles of `size` output pixels along an axis of `length`. With a dilation, every so many pixels are a convolution of their own without one;
 * the tiles of each come one after the other, as many as of the first, which has the most pixels.
 */
export function tilesAlong(size: i32, length: i32, dilation: i32): i32 {
  return tilesOfEach(size, length, dilation) * dilation;
}

function tilesOfEach(size: i32, length: i32, dilation: i32): i32 {
  return ((length + dilation - 1) / dilation + size - 1) / size;
}

/** The first output pixel of a tile; the others are `dilation` apart. */
export function tileStart(tile: i32, size: i32, length: i32, dilation: i32): i32 {
  if (dilation == 1) return tile * size;
  const each = tilesOfEach(size, length, dilation);
  return (tile % each) * size * dilation + tile / each;
}

/** How many of its output pixels exist: fewer than the tile's size at the right and lower border, and none beyond. */
export function tileExtent(start: i32, size: i32, length: i32, dilation: i32): i32 {
  if (dilation == 1) return min(size, length - start);
  return max(0, min(size, (length - start + dilation - 1) / dilation));
}

/**
 * Writes the addresses of the `edge` x `edge` input pixels from row `top` and column `left` of image `n` on to `table`; a pixel in the
 * padding is at `zeros`, a run of inChannels zeros.
 */
export function tilePointers(
  w: Window, input: usize, zeros: usize, n: i32, top: i32, left: i32, edge: i32, table: usize,
): void {
  const pixel = floats(w.inPixel);
  for (let i = 0, y = top; i < edge; i++, y += w.dilationH) {
    const inside = <u32>y < <u32>w.inH;
    const line = input + <usize>(n * w.inH + y) * <usize>w.inW * pixel;
    for (let j = 0, x = left; j < edge; j++, x += w.dilationW, table += 4) {
      store<usize>(table, inside && <u32>x < <u32>w.inW ? line + <usize>x * pixel : zeros);
    }
  }
}

/** Bytes from one plane of transformed tiles to the next; the odd cache line keeps the planes out of each other's sets. */
@inline
export function planeBytes(tiles: i32, channels: i32): usize {
  return ((floats(tiles * channels) + 63) & ~63) + 64;
}
