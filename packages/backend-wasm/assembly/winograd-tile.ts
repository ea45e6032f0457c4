import { floats, Window } from "./conv-window";

/** Output pixels of one tile that exist: fewer than the tile's size at the right and lower border. */
@inline
export function tileExtent(tile: i32, size: i32, length: i32): i32 {
  return min(size, length - tile * size);
}

/**
 * Writes the addresses of the `edge` x `edge` input pixels of tile (n, ty, tx) to `table`; a pixel in the padding is
 * at `zeros`, a run of inChannels zeros. Tiles begin `step` pixels apart, and overlap.
 */
export function tilePointers(
  w: Window,
  input: usize,
  zeros: usize,
  n: i32,
  ty: i32,
  tx: i32,
  step: i32,
  edge: i32,
  table: usize,
): void {
  const pixel = floats(w.inPixel);
  const left = tx * step - w.padW;
  for (let i = 0; i < edge; i++) {
    const y = ty * step - w.padH + i;
    const inside = <u32>y < <u32>w.inH;
    const line = input + <usize>(n * w.inH + y) * <usize>w.inW * pixel;
    for (let j = 0; j < edge; j++, table += 4) {
      const x = left + j;
      store<usize>(table, inside && <u32>x < <u32>w.inW ? line + <usize>x * pixel : zeros);
    }
  }
}

/** Bytes from one plane of transformed tiles to the next; the odd cache line keeps the planes out of each other's sets. */
@inline
export function planeBytes(tiles: i32, channels: i32): usize {
  return ((floats(tiles * channels) + 63) & ~63) + 64;
}
