// A recurrent layer in one direction: what comes after the product of its inputs, which are projected all at once.
import { sigmoid, tanh } from "./activations";
import { gemmPacked } from "./gemm";
import { loadTail, storeTail } from "./lanes";

/** The cells. Gates are in PyTorch's order, one behind the other: input, forget, cell, output; reset, update, new. */
const LSTM: i32 = 0, GRU: i32 = 1, TANH: i32 = 2;

/**
 * Runs `steps` steps of a cell for a batch. `x` is the projected input, `weight` the packed hidden weight, `bias` (or 0)
 * that of the product with it. `hidden` has the first state, row by row; the next ones go to `out`. `memory` is the cell
 * state of an LSTM, row by row, which becomes the last one. `gates` is room for a row of gates for each of the batch.
 * Strides from one step and from one of the batch to the next, in elements; a step's may be negative.
 */
export function recurrentSteps(
  cell: i32, steps: i32, batch: i32, size: i32, x: usize, xStep: i32, xBatch: i32, weight: usize, bias: usize,
  hidden: usize, memory: usize, out: usize, outStep: i32, outBatch: i32, gates: usize,
): void {
  const width = size * (cell == LSTM ? 4 : cell == GRU ? 3 : 1);
  let last = hidden, lastBatch = size;
  for (let step = 0; step < steps; step++, x += <isize>xStep << 2, out += <isize>outStep << 2) {
    gemmPacked(batch, width, size, last, lastBatch, weight, gates, width, bias, 0, 0, 0);
    for (let row: usize = 0; row < <usize>batch; row++) {
      const g = gates + ((row * <usize>width) << 2), xs = x + ((row * <usize>xBatch) << 2);
      const to = out + ((row * <usize>outBatch) << 2);
      if (cell == LSTM) lstmRow(g, xs, memory + ((row * <usize>size) << 2), to, size);
      else if (cell == GRU) gruRow(g, xs, last + ((row * <usize>lastBatch) << 2), to, size);
      else plainRow(cell, g, xs, to, size);
    }
    last = out, lastBatch = outBatch;
  }
}

/** `count` floats at `p`: 4, or fewer at the end of a row. */
@inline
function read(p: usize, count: i32): v128 {
  return count >= 4 ? v128.load(p) : loadTail(p, count, f32x4.splat(0));
}

@inline
function write(p: usize, x: v128, count: i32): void {
  if (count >= 4) v128.store(p, x);
  else storeTail(p, x, count);
}

/** The sum of what a gate gets from the state and from the input. */
@inline
function gate(g: usize, x: usize, count: i32): v128 {
  return f32x4.add(read(x, count), read(g, count));
}

function lstmRow(g: usize, x: usize, memory: usize, to: usize, size: i32): void {
  const next = <usize>size << 2;
  for (let left = size; left > 0; left -= 4, g += 16, x += 16, memory += 16, to += 16) {
    const kept = f32x4.mul(sigmoid(gate(g + next, x + next, left)), read(memory, left));
    const fresh = f32x4.mul(sigmoid(gate(g, x, left)), tanh(gate(g + 2 * next, x + 2 * next, left)));
    const state = f32x4.add(kept, fresh);
    write(memory, state, left);
    write(to, f32x4.mul(sigmoid(gate(g + 3 * next, x + 3 * next, left)), tanh(state)), left);
  }
}

function gruRow(g: usize, x: usize, last: usize, to: usize, size: i32): void {
  const next = <usize>size << 2;
  for (let left = size; left > 0; left -= 4, g += 16, x += 16, last += 16, to += 16) {
    const reset = sigmoid(gate(g, x, left));
    const update = sigmoid(gate(g + next, x + next, left));
    const fresh = f32x4.mul(reset, read(g + 2 * next, left));
    const candidate = tanh(f32x4.add(read(x + 2 * next, left), fresh));
    write(to, f32x4.add(f32x4.mul(f32x4.sub(read(last, left), candidate), update), candidate), left);
  }
}

function plainRow(cell: i32, g: usize, x: usize, to: usize, size: i32): void {
  for (let left = size; left > 0; left -= 4, g += 16, x += 16, to += 16) {
    const sum = gate(g, x, left);
    write(to, cell == TANH ? tanh(sum) : f32x4.pmax(sum, f32x4.splat(0)), left);
  }
}
