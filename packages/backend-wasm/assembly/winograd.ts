// Convolution 3x3 by Winograd's algorithm: every tile of the input becomes `planes` points, each point is a matrix product over
// channels, and the products become a tile of the output. The edge of a tile says which one it is: 4 pixels make 2 outputs a
// side, 6 make 4, and 5 make 2 with stride 2; the others may be dilated.
import { copyFloats, floats, Window, WORKSPACE } from "./conv-window";
import { gemmPacked } from "./gemm";
import { gemmPackedBytes, PANEL } from "./gemm-pack";
import { planeBytes, tileExtent, tilePointers, tilesAlong, tileStart } from "./winograd-tile";
import { inputTile as inputTile2, outputTile as outputTile2 } from "./winograd2-transform";
import { inputTile as inputTile4, outputTile as outputTile4 } from "./winograd4-transform";
import { inputTile as inputTileStride2, outputTile as outputTileStride2 } from "./winograd2-stride2-transform";

/** Bytes that `winogradTiles` uses at `scratch` for blocks of `tiles` tiles of `edge` pixels a side. */
export function winogradScratch(edge: i32, tiles: i32, inChannels: i32, outChannels: i32): u32 {
  const planes = <usize>(edge * edge);
  const products = planeBytes(tiles, wholePanels(outChannels));
  return <u32>(planes * (planeBytes(tiles, inChannels) + products) + floats(inChannels) + 64);
}

/** Columns of products: packed weights have zeros behind those of the last channels. */
@inline
function wholePanels(channels: i32): i32 {
  return (channels + PANEL - 1) & ~(PANEL - 1);
}

/** Where one tile of fewer than four channels is made: 16 pixels and a bias of a vector each, behind the vectors of a line. */
const NARROW: usize = 384;
const NARROW_BIAS: usize = NARROW + 256;

/**
 * Tiles [firstTile, firstTile + tileCount) in the order batch, row, column, and of the output `channels` channels from
 * `channelStart` on, which begin with a panel. `edge` is 4, 5 or 6. The input has at least four channels. The window is followed
 * by 1 KB of work space.
 */
export function winogradTiles(
  edge: i32,
  window: usize,
  input: usize,
  weights: usize,
  bias: usize,
  firstTile: i32,
  tileCount: i32,
  channelStart: i32,
  channels: i32,
  output: usize,
  scratch: usize,
  lo: f32,
  hi: f32,
): void {
  const w = changetype<Window>(window);
  const planes = edge * edge;
  const size = edge == 6 ? 4 : 2;
  const table = window + WORKSPACE;
  const line = table + 160;
  const inChannels = w.inChannels;
  const outChannels = w.outChannels;
  const dilationH = w.dilationH, dilationW = w.dilationW;
  const across = tilesAlong(size, w.outW, dilationW);
  const down = tilesAlong(size, w.outH, dilationH);
  const inStep = planeBytes(tileCount, inChannels);
  const columns = wholePanels(channels);
  const outStep = planeBytes(tileCount, columns);
  const products = scratch + <usize>planes * inStep;
  const zeros = products + <usize>planes * outStep;
  memory.fill(zeros, 0, floats(inChannels));

  for (let t = 0; t < tileCount; t++) {
    const tile = firstTile + t;
    const top = tileStart((tile / across) % down, size, w.outH, dilationH) * w.strideH - w.padH;
    const left = tileStart(tile % across, size, w.outW, dilationW) * w.strideW - w.padW;
    tilePointers(w, input, zeros, tile / (across * down), top, left, edge, table);
    const dst = scratch + <usize>t * floats(inChannels);
    if (edge == 6) inputTile4(table, inChannels, line, dst, inStep);
    else if (edge == 5) inputTileStride2(table, inChannels, line, dst, inStep);
    else inputTile2(table, inChannels, line, dst, inStep);
  }

  const panel = gemmPackedBytes(inChannels, outChannels);
  const first = weights + (<usize>channelStart * <usize>inChannels << 2);
  for (let p = 0; p < planes; p++) {
    // With stride 2 the last two points along an axis have one tap between them.
    const point = edge == 5 ? 4 * min(p / 5, 3) + min(p % 5, 3) : p;
    const a = scratch + <usize>p * inStep;
    const b = first + <usize>point * <usize>panel;
    const c = products + <usize>p * outStep;
    gemmPacked(tileCount, columns, inChannels, a, inChannels, b, c, columns, 0, 0, 0, 0);
  }

  const low = f32x4.splat(lo);
  const high = f32x4.splat(hi);
  const pixel = floats(w.outPixel), rowBytes = <usize>w.outW * pixel;
  const nextPixel = <usize>dilationW * pixel, nextRow = <usize>dilationH * rowBytes;
  const skipped = floats(channelStart);
  if (bias) bias += skipped;
  const narrow = channels < 4;
  const spare = line + NARROW;
  if (narrow && bias) {
    copyFloats(line + NARROW_BIAS, bias, channels);
    bias = line + NARROW_BIAS;
  }
  for (let t = 0; t < tileCount; t++) {
    const tile = firstTile + t;
    const x = tileStart(tile % across, size, w.outW, dilationW);
    const y = tileStart((tile / across) % down, size, w.outH, dilationH);
    const src = products + <usize>t * floats(columns);
    const dst = output + <usize>((tile / (across * down)) * w.outH + y) * rowBytes + <usize>x * pixel + skipped;
    const rows = tileExtent(y, size, w.outH, dilationH);
    const wide = tileExtent(x, size, w.outW, dilationW);
    if (wide == 0) continue;
    if (!narrow) {
      outputTile(edge, src, outStep, channels, line, bias, dst, nextPixel, nextRow, rows, wide, low, high);
      continue;
    }
    outputTile(edge, src, outStep, 4, line, bias, spare, 16, 64, rows, wide, low, high);
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < wide; j++) {
        copyFloats(dst + <usize>i * nextRow + <usize>j * nextPixel, spare + <usize>(4 * i + j) * 16, channels);
      }
    }
  }
}

@inline
function outputTile(
  edge: i32, src: usize, step: usize, channels: i32, line: usize, bias: usize, dst: usize, pixel: usize, rowBytes: usize,
  rows: i32, columns: i32, lo: v128, hi: v128,
): void {
  if (edge == 6) outputTile4(src, step, channels, line, bias, dst, pixel, rowBytes, rows, columns, lo, hi);
  else if (edge == 5) outputTileStride2(src, step, channels, line, bias, dst, pixel, rowBytes, rows, columns, lo, hi);
  else outputTile2(src, step, channels, line, bias, dst, pixel, rowBytes, rows, columns, lo, hi);
}
