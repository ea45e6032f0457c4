/** Computes state[t] = decay[t] * state[t - 1] + input[t] for each row of `size` floats. */
export function recurrence(decay: usize, input: usize, states: usize, rows: i32, size: i32): void {
  for (let row = 0; row < rows; row++) {
    let state: f32 = 0;
    for (let t = 0; t < size; t++, decay += 4, input += 4, states += 4) {
      state = load<f32>(decay) * state + load<f32>(input);
      store<f32>(states, state);
    }
  }
}
