// Convolution 3x3 with stride 1 by Winograd's algorithm: every tile of the input becomes `planes` points,
// each point is a matrix product over channels, and the products become a tile of the output.
import { floats, Window, WORKSPACE } from "./conv-window";
import { gemmPacked } from "./gemm";
import { gemmPackedBytes } from "./gemm-pack";
import { planeBytes, tileExtent, tilePointers } from "./winograd-tile";
import { inputTile as inputTile2, outputTile as outputTile2 } from "./winograd2-transform";
import { inputTile as inputTile4, outputTile as outputTile4 } from "./winograd4-transform";

/** Bytes that `winogradTiles` uses at `scratch` for blocks of `tiles` tiles of `size` outputs a side. */
export function winogradScratch(size: i32, tiles: i32, inChannels: i32, outChannels: i32): u32 {
  const planes = <usize>((size + 2) * (size + 2));
  return <u32>(planes * (planeBytes(tiles, inChannels) + planeBytes(tiles, outChannels)) + floats(inChannels) + 64);
}

/**
 * Tiles [tileStart, tileStart + tileCount) in the order batch, row, column, and of the output `channels` channels from
 * `channelStart` on, which begin with a panel. `size` is 4 or 2. Channels of both sides are multiples of four. The window
 * is followed by 1 KB of work space.
 */
export function winogradTiles(
  size: i32,
  window: usize,
  input: usize,
  weights: usize,
  bias: usize,
  tileStart: i32,
  tileCount: i32,
  channelStart: i32,
  channels: i32,
  output: usize,
  scratch: usize,
  lo: f32,
  hi: f32,
): void {
  const w = changetype<Window>(window);
  const edge = size + 2;
  const planes = edge * edge;
  const table = window + WORKSPACE;
  const line = table + 160;
  const inChannels = w.inChannels;
  const outChannels = w.outChannels;
  const across = (w.outW + size - 1) / size;
  const down = (w.outH + size - 1) / size;
  const inStep = planeBytes(tileCount, inChannels);
  const outStep = planeBytes(tileCount, channels);
  const products = scratch + <usize>planes * inStep;
  const zeros = products + <usize>planes * outStep;
  memory.fill(zeros, 0, floats(inChannels));

  for (let t = 0; t < tileCount; t++) {
    const tile = tileStart + t;
    tilePointers(w, input, zeros, tile / (across * down), (tile / across) % down, tile % across, size, edge, table);
    const dst = scratch + <usize>t * floats(inChannels);
    if (size == 4) inputTile4(table, inChannels, line, dst, inStep);
    else inputTile2(table, inChannels, line, dst, inStep);
  }

  const panel = gemmPackedBytes(inChannels, outChannels);
  let b = weights + (<usize>channelStart * <usize>inChannels << 2);
  for (let p = 0; p < planes; p++, b += panel) {
    const a = scratch + <usize>p * inStep;
    const c = products + <usize>p * outStep;
    gemmPacked(tileCount, channels, inChannels, a, inChannels, b, c, channels, 0, 0, 0, 0);
  }

  const low = f32x4.splat(lo);
  const high = f32x4.splat(hi);
  const pixel = floats(outChannels);
  const rowBytes = <usize>w.outW * pixel;
  const first = floats(channelStart);
  if (bias) bias += first;
  for (let t = 0; t < tileCount; t++) {
    const tile = tileStart + t;
    const tx = tile % across;
    const ty = (tile / across) % down;
    const y = (tile / (across * down)) * w.outH + ty * size;
    const src = products + <usize>t * floats(channels);
    const dst = output + <usize>y * rowBytes + <usize>(tx * size) * pixel + first;
    const rows = tileExtent(ty, size, w.outH);
    const columns = tileExtent(tx, size, w.outW);
    if (size == 4) outputTile4(src, outStep, channels, line, bias, dst, pixel, rowBytes, rows, columns, low, high);
    else outputTile2(src, outStep, channels, line, bias, dst, pixel, rowBytes, rows, columns, low, high);
  }
}
