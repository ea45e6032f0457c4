import { expect, test } from "vitest";
import { random, testbed } from "./kernels.test-helper.ts";

const bed = testbed(64);
const { kernels } = bed;
const [LSTM, GRU, TANH, RELU] = [0, 1, 2, 3];
const GATES = [4, 3, 1, 1];
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** One step of a cell, in double precision: `x` and `h` are what the gates get from the input and from the state. */
function cell(kind: number, x: number[], h: number[], last: number, memory: number): readonly [number, number] {
  if (kind === TANH) return [Math.tanh(x[0]! + h[0]!), memory];
  if (kind === RELU) return [Math.max(0, x[0]! + h[0]!), memory];
  if (kind === GRU) {
    const [reset, update] = [sigmoid(x[0]! + h[0]!), sigmoid(x[1]! + h[1]!)];
    const fresh = Math.tanh(x[2]! + reset * h[2]!);
    return [fresh + update * (last - fresh), memory];
  }
  const [i, f, g, o] = x.map((gate, k) => gate + h[k]!) as [number, number, number, number];
  const next = sigmoid(f) * memory + sigmoid(i) * Math.tanh(g);
  return [sigmoid(o) * Math.tanh(next), next];
}

test("steps of every cell, for sizes that are not whole vectors, forwards and backwards, whatever the strides", () => {
  const rng = random(5);
  const [steps, batch] = [3, 2];
  for (const kind of [LSTM, GRU, TANH, RELU]) {
    for (const size of [1, 3, 4, 6, 9]) {
      bed.clear();
      const gates = GATES[kind]!;
      const width = gates * size;
      const [x, w, bias] = [rng.floats(batch * steps * width), rng.floats(width * size), rng.floats(width)];
      const [hidden, memory] = [rng.floats(batch * size), rng.floats(batch * size)];
      const packed = bed.room(kernels.gemmPackedBytes(size, width) / 4);
      kernels.gemmPackB(bed.put(w), 1, size, size, width, packed);
      // Results of a batch lie one behind the other, with a gap after each step; the last step is the first in memory.
      const [outStep, outBatch] = [size + 2, steps * (size + 2)];
      const out = bed.room(batch * outBatch);
      const memoryAt = bed.put(memory);
      const [xs, hs, scratch, biasAt] = [bed.put(x), bed.put(hidden), bed.room(batch * width), bed.put(bias)];
      const [from, to] = [xs + 4 * (steps - 1) * width, out + 4 * (steps - 1) * outStep];
      kernels.recurrentSteps(
        ...([kind, steps, batch, size, from, -width, steps * width, packed, biasAt, hs, memoryAt] as const),
        ...([to, -outStep, outBatch, scratch] as const),
      );
      expect(bed.intact()).toBe(true);
      const got = bed.floats(out, batch * outBatch);
      for (let b = 0; b < batch; b++) {
        let state = [...hidden.subarray(b * size, (b + 1) * size)];
        let kept = [...memory.subarray(b * size, (b + 1) * size)];
        for (let t = steps - 1; t >= 0; t--) {
          const now = state.map((last, j) => {
            const at = (k: number): number => k * size + j;
            const range = [...Array(gates).keys()];
            const given = range.map((k) => x[(b * steps + t) * width + at(k)]!);
            const product = (k: number): number => state.reduce((sum, h, i) => sum + h * w[at(k) * size + i]!, 0);
            return cell(
              kind,
              given,
              range.map((k) => bias[at(k)]! + product(k)),
              last,
              kept[j]!,
            );
          });
          state = now.map(([h]) => h);
          kept = now.map(([, c]) => c);
          for (const [j, h] of state.entries()) expect(got[b * outBatch + t * outStep + j]).toBeCloseTo(h, 5);
          expect(got[b * outBatch + t * outStep + size]).toBeNaN();
        }
        const last = bed.floats(memoryAt, batch * size);
        if (kind === LSTM) for (const [j, c] of kept.entries()) expect(last[b * size + j]).toBeCloseTo(c, 5);
      }
    }
  }
});

test("activations are accurate for numbers of any size, infinite ones, zeros and NaN", () => {
  const numbers = [
    0,
    -0,
    1e-30,
    -1e-6,
    1e-3,
    -0.3,
    0.62,
    -0.63,
    0.9,
    2,
    -5,
    9,
    -20,
    60,
    -80,
    1e5,
    -1e5,
    1 / 0,
    -1 / 0,
    Number.NaN,
  ];
  const size = numbers.length;
  bed.clear();
  const run = (kind: number, x: readonly number[]): { readonly out: Float32Array; readonly memory: Float32Array } => {
    const width = GATES[kind]! * size;
    const [weight, hidden, memory] = [
      new Float32Array(kernels.gemmPackedBytes(size, width) / 4),
      new Float32Array(size),
      new Float32Array(size).fill(1),
    ];
    const [out, memoryAt] = [bed.room(size), bed.put(memory)];
    kernels.recurrentSteps(
      ...([
        kind,
        1,
        1,
        size,
        bed.put(Float32Array.from(x)),
        width,
        width,
        bed.put(weight),
        0,
        bed.put(hidden),
      ] as const),
      ...([memoryAt, out, size, size, bed.room(width)] as const),
    );
    return { out: bed.floats(out, size), memory: bed.floats(memoryAt, size) };
  };
  const check = (got: Float32Array, wanted: (x: number) => number): void => {
    for (const [i, x] of numbers.entries()) {
      const right = Math.fround(wanted(Math.fround(x)));
      if (Number.isNaN(right)) expect(got[i]).toBeNaN();
      // What would be denormal may be zero.
      else expect(Math.abs(got[i]! - right), `${x}`).toBeLessThanOrEqual(Math.abs(right) * 5e-7 + 1e-38);
    }
  };
  const { out } = run(TANH, numbers);
  check(out, Math.tanh);
  // An LSTM that forgets this much of 1, and learns nothing.
  const closed = numbers.map(() => 0);
  check(run(LSTM, [...closed, ...numbers, ...closed, ...closed]).memory, sigmoid);
});
