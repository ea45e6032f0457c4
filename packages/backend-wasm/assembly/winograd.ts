// Convolution 3x3 with stride 1 by Winograd's algorithm: every tile of the input becomes `planes` points,
// each point is a matrix product over channels, and the products become a tile of the output.
import { floats, Window, WORKSPACE } from "./conv-window";
import { gemmPacked } from "./gemm";
import { gemmPackB, gemmPackedBytes } from "./gemm-pack";
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

/** Row `point` of G of F(size, 3), coefficient of tap `k`: powers of the point over the product of its distances. */
function coefficient(size: i32, point: i32, k: i32): f64 {
  if (point == 0) return k ? 0 : 1;
  if (point == size + 1) return k == 2 ? 1 : 0;
  const sign: f64 = k == 1 && !(point & 1) ? -1 : 1;
  if (size == 2) return 0.5 * sign;
  const power: f64 = k == 0 ? 1 : k == 1 ? Math.sqrt(point < 3 ? 0.5 : 2) : point < 3 ? 0.5 : 2;
  return (sign * power) / (point < 3 ? -1.5 : 6);
}

/**
 * Transforms weights whose element (o, i, h, w) is at `src + 4 * (o * strideO + ...)` to `dst`, one packed matrix per
 * point. `scratch` has room for inChannels * outChannels floats.
 */
export function winogradPack(
  size: i32,
  src: usize,
  strideO: i32,
  strideI: i32,
  strideH: i32,
  strideW: i32,
  outChannels: i32,
  inChannels: i32,
  dst: usize,
  scratch: usize,
): void {
  for (let a = 0; a < size + 2; a++) {
    const a0 = coefficient(size, a, 0);
    const a1 = coefficient(size, a, 1);
    const a2 = coefficient(size, a, 2);
    for (let b = 0; b < size + 2; b++) {
      const b0 = coefficient(size, b, 0);
      const b1 = coefficient(size, b, 1);
      const b2 = coefficient(size, b, 2);
      let out = scratch;
      for (let i = 0; i < inChannels; i++) {
        let p = src + ((<isize>i * <isize>strideI) << 2);
        for (let o = 0; o < outChannels; o++, out += 4, p += <isize>strideO << 2) {
          const row0 = b0 * at(p, 0) + b1 * at(p, strideW) + b2 * at(p, 2 * strideW);
          const row1 = b0 * at(p, strideH) + b1 * at(p, strideH + strideW) + b2 * at(p, strideH + 2 * strideW);
          const q = p + (<isize>strideH << 3);
          const row2 = b0 * at(q, 0) + b1 * at(q, strideW) + b2 * at(q, 2 * strideW);
          store<f32>(out, <f32>(a0 * row0 + a1 * row1 + a2 * row2));
        }
      }
      gemmPackB(scratch, outChannels, 1, inChannels, outChannels, dst);
      dst += gemmPackedBytes(inChannels, outChannels);
    }
  }
}

@inline
function at(base: usize, offset: i32): f64 {
  return <f64>load<f32>(base + (<isize>offset << 2));
}
