import { beforeEach, describe, expect, test } from "vitest";
import { random, testbed, worst } from "./kernels-testbed.ts";

const bed = testbed(64);
const { kernels } = bed;
const rng = random(6);
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

beforeEach(() => bed.clear());

describe("recurrent cells", () => {
  test.each([1, 2, 3, 4, 5, 7, 8, 13, 64])("LSTM and GRU of %i features against double precision", (n) => {
    const rows = 3;
    const wide = (parts: number): Float32Array => rng.floats(rows * parts * n).map((value) => value * 6);
    const [gates, input, state, before] = [wide(4), wide(3), wide(3), wide(1)];
    const [cell, hidden, next] = [bed.room(rows * n), bed.room(rows * n), bed.room(rows * n)];
    kernels.lstmCell(bed.put(gates), bed.put(before), cell, hidden, rows, n);
    kernels.gruCell(bed.put(input), bed.put(state), bed.put(before), next, rows, n);
    const expected = { cell: [] as number[], hidden: [] as number[], next: [] as number[] };
    for (let at = 0; at < rows * n; at++) {
      const [row, i] = [Math.floor(at / n), at % n];
      const part = (data: Float32Array, parts: number, index: number): number => data[(row * parts + index) * n + i]!;
      const forget = sigmoid(part(gates, 4, 1)) * before[at]!;
      const c = forget + sigmoid(part(gates, 4, 0)) * Math.tanh(part(gates, 4, 2));
      expected.cell.push(c);
      expected.hidden.push(sigmoid(part(gates, 4, 3)) * Math.tanh(c));
      const [r, z] = [0, 1].map((index) => sigmoid(part(input, 3, index) + part(state, 3, index))) as [number, number];
      const fresh = Math.tanh(part(input, 3, 2) + r * part(state, 3, 2));
      expected.next.push((1 - z) * fresh + z * before[at]!);
    }
    expect(worst(bed.floats(cell, rows * n), expected.cell)).toBeLessThan(1e-6);
    expect(worst(bed.floats(hidden, rows * n), expected.hidden)).toBeLessThan(1e-6);
    expect(worst(bed.floats(next, rows * n), expected.next)).toBeLessThan(2e-6);
    expect(bed.intact()).toBe(true);
  });

  test("sigmoid and tanh over their whole range, relative to their size", () => {
    // With a closed forget gate and an open input gate the cell is tanh; with a state of one it is the sigmoid.
    const n = 20_000;
    const points = Float32Array.from({ length: n }, (_, i) => (i % 2 ? 1 : -1) * 2 ** ((i / n) * 36 - 30));
    const run = (parts: readonly Float32Array[], before: Float32Array): Float32Array => {
      bed.clear();
      const gates = new Float32Array(4 * n);
      for (const [index, part] of parts.entries()) gates.set(part, index * n);
      const cell = bed.room(n);
      kernels.lstmCell(bed.put(gates), bed.put(before), cell, bed.room(n), 1, n);
      return bed.floats(cell, n);
    };
    const open = new Float32Array(n).fill(100);
    const tanh = run([open, open, points, open], new Float32Array(n));
    expect(worst(tanh, Array.from(points, Math.tanh), 1e-37)).toBeLessThan(2.5e-7);
    const gate = run([open, points, new Float32Array(n), open], new Float32Array(n).fill(1));
    expect(worst(gate, Array.from(points, sigmoid), 1e-37)).toBeLessThan(3e-7);
    const infinite = Float32Array.from([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 200, -200]);
    expect(run([open, open, infinite, open], new Float32Array(n)).slice(0, 4)).toEqual(
      Float32Array.from([-1, 1, 1, -1]),
    );
    expect(run([open, open, Float32Array.of(Number.NaN), open], new Float32Array(n))[0]).toBeNaN();
  });
});
