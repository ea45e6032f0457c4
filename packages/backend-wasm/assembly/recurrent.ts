// The elementwise half of a recurrent step; the matrix products come before it.
import { loadTail, storeTail } from "./lanes";
import { sigmoid, tanh } from "./math";

/**
 * One step of an LSTM for `rows` rows: `gates` holds [input, forget, cell, output], each of `n` floats, both products and biases
 * added up. `cell` is the state before; `nextCell` may be the same, `hidden` is the output.
 */
export function lstmCell(gates: usize, cell: usize, nextCell: usize, hidden: usize, rows: i32, n: i32): void {
  const part = <usize>n << 2;
  for (let row = 0; row < rows; row++, gates += 3 * part) {
    for (let left = n; left > 0; left -= 4) {
      const i = sigmoid(load4(gates, left)), f = sigmoid(load4(gates + part, left));
      const g = tanh(load4(gates + 2 * part, left)), o = sigmoid(load4(gates + 3 * part, left));
      const c = f32x4.add(f32x4.mul(f, load4(cell, left)), f32x4.mul(i, g));
      store4(nextCell, c, left);
      store4(hidden, f32x4.mul(o, tanh(c)), left);
      const step = <usize>min(left, 4) << 2;
      gates += step, cell += step, nextCell += step, hidden += step;
    }
  }
}

/**
 * One step of a GRU for `rows` rows: `input` and `state` hold [reset, update, new], each of `n` floats, the products of the
 * input and of the hidden state with their biases. `next` may be `hidden`.
 */
export function gruCell(input: usize, state: usize, hidden: usize, next: usize, rows: i32, n: i32): void {
  const part = <usize>n << 2;
  for (let row = 0; row < rows; row++, input += 2 * part, state += 2 * part) {
    for (let left = n; left > 0; left -= 4) {
      const r = sigmoid(f32x4.add(load4(input, left), load4(state, left)));
      const z = sigmoid(f32x4.add(load4(input + part, left), load4(state + part, left)));
      const fresh = tanh(f32x4.add(load4(input + 2 * part, left), f32x4.mul(r, load4(state + 2 * part, left))));
      store4(next, f32x4.add(fresh, f32x4.mul(z, f32x4.sub(load4(hidden, left), fresh))), left);
      const step = <usize>min(left, 4) << 2;
      input += step, state += step, hidden += step, next += step;
    }
  }
}

@inline
function load4(p: usize, left: i32): v128 {
  return left >= 4 ? v128.load(p) : loadTail(p, left, f32x4.splat(0));
}

@inline
function store4(p: usize, x: v128, left: i32): void {
  if (left >= 4) v128.store(p, x);
  else storeTail(p, x, left);
}
