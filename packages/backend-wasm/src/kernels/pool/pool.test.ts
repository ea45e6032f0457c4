import type { Spatial } from "@pt2/engine";
import { RELATIVE, worstError } from "@pt2/testing/worst-error";
import { beforeEach, describe, expect, test } from "vitest";
import { random, testbed } from "../../kernels.test-helper.ts";
import { pooled, signal } from "../../sampling.test-helper.ts";
import { divide } from "../../threads/team.ts";
import { adaptiveBoxes, type PoolBoxes, type PoolWindow, slidingBoxes } from "./boxes.ts";
import { type PoolShape, planPool } from "./plan-pool.ts";

const bed = testbed(256);
const rng = random(5);

beforeEach(() => bed.clear());

interface Pooled {
  readonly values: Float32Array;
  readonly indices: readonly number[];
}

function pool(shape: PoolShape, x: Float32Array, withIndices = false, threads = 2): Pooled {
  const plan = planPool(bed, shape);
  const length = shape.batch * plan.output[0] * plan.output[1] * plan.output[2] * shape.channels;
  const [input, output, scratch] = [bed.put(x), bed.room(length), bed.room(plan.scratchBytes / 4)];
  const indices = withIndices ? bed.room(length * 2) : undefined;
  const call = { input, output, scratch, ...(indices === undefined ? {} : { indices }) };
  for (const { start, count } of divide({ ...plan.division, nanoseconds: 1e9 }, threads)) plan.run(call, start, count);
  expect(bed.intact()).toBe(true);
  const words = indices === undefined ? [] : bed.ints(indices, length * 2);
  return { values: bed.floats(output, length), indices: Array.from(words).filter((_, i) => i % 2 === 0) };
}

/** Each box visited in PyTorch's order, in double precision. */
function naive({ batch, channels, input, boxes, reduce }: PoolShape, x: Float32Array): Pooled {
  const [values, indices]: [number[], number[]] = [[], []];
  const starts = boxes.map(({ size }) => Array.from({ length: size }, (_, i) => i));
  for (let n = 0; n < batch; n++) {
    for (const d of starts[0]!)
      for (const h of starts[1]!)
        for (const w of starts[2]!) {
          for (let c = 0; c < channels; c++) {
            const positions = boxPositions(boxes, [d, h, w], input);
            const at = (p: number): number => x[(n * input[0] * input[1] * input[2] + p) * channels + c]!;
            const best = positions.reduce((most, p) => (at(p) > at(most) || Number.isNaN(at(p)) ? p : most));
            const extent = boxes.reduce((product, box, axis) => product * box.triples[[d, h, w][axis]! * 3 + 2]!, 1);
            values.push(reduce === "max" ? at(best) : positions.reduce((sum, p) => sum + at(p), 0) / extent);
            indices.push(best);
          }
        }
  }
  return { values: Float32Array.from(values), indices };
}

function boxPositions(boxes: PoolBoxes, index: Spatial, input: Spatial): number[] {
  const [d, h, w] = boxes.map(({ triples, step }, axis) => {
    const [start, end] = triples.slice(index[axis]! * 3) as [number, number];
    return Array.from({ length: Math.ceil((end - start) / step) }, (_, i) => start + i * step);
  }) as [number[], number[], number[]];
  return d.flatMap((z) => h.flatMap((y) => w.map((column) => (z * input[1] + y) * input[2] + column)));
}

describe("sliding windows", () => {
  test.each(pooled)(
    "a pooling by $reduce takes kernel $kernel, stride $stride, padding $padding, dilation $dilation, ceil $ceilMode",
    (golden) => {
      const input: Spatial = [1, 1, signal.length];
      const boxes = slidingBoxes({
        input,
        kernel: [1, 1, golden.kernel],
        stride: [1, 1, golden.stride],
        padding: [0, 0, golden.padding],
        dilation: [1, 1, golden.dilation],
        ceilMode: golden.ceilMode,
        countIncludePad: golden.countIncludePad,
      });
      const shape: PoolShape = { batch: 1, channels: 1, input, boxes, reduce: golden.reduce };
      const { values } = pool(shape, Float32Array.from(signal));
      expect(worstError(values, golden.values, RELATIVE)).toBeLessThan(1e-6);
    },
  );

  const window: PoolWindow = { input: [4, 7, 9], kernel: [2, 3, 2], stride: [1, 2, 2], padding: [1, 1, 0] };

  test("a pooling takes three dimensions, batches and every tail of channels, and gives indices", () => {
    for (const channels of [1, 3, 4, 6, 16, 21, 40]) {
      for (const reduce of ["max", "mean"] as const) {
        const boxes = slidingBoxes({
          ...window,
          dilation: reduce === "max" ? [1, 2, 3] : [1, 1, 1],
          countIncludePad: true,
        });
        const shape: PoolShape = { batch: 2, channels, input: window.input, boxes, reduce };
        const x = rng.floats(2 * 252 * channels).map((value) => Math.round(value * 4) / 4);
        const expected = naive(shape, x);
        expect(worstError(pool(shape, x).values, expected.values, RELATIVE)).toBeLessThan(1e-6);
        if (reduce === "max") expect(pool(shape, x, true)).toEqual(expected);
        bed.clear();
      }
    }
  });

  test("the maximum of a window is NaN where an element is, and may be minus infinity", () => {
    const boxes = slidingBoxes(window);
    const shape: PoolShape = { batch: 1, channels: 5, input: window.input, boxes, reduce: "max" };
    const x = rng
      .floats(252 * 5)
      .map((value, i) => (i % 17 === 0 ? Number.NaN : value > 0 ? Number.NEGATIVE_INFINITY : value));
    const expected = naive(shape, x);
    expect(pool(shape, x).values).toEqual(expected.values);
    expect(pool(shape, x, true).values).toEqual(expected.values);
  });

  test("neighbors of few channels that are reduced together give the bytes of each alone, wherever threads divide them", () => {
    const input: Spatial = [2, 5, 45];
    const stepped = slidingBoxes({
      input,
      kernel: [1, 3, 5],
      stride: [1, 1, 1],
      padding: [0, 1, 2],
      dilation: [1, 1, 2],
    });
    const counted = slidingBoxes({
      input,
      kernel: [2, 3, 5],
      stride: [1, 1, 1],
      padding: [1, 1, 2],
      countIncludePad: true,
    });
    const adapted = adaptiveBoxes(input, [2, 4, 40]);
    for (const channels of [1, 2, 3]) {
      for (const [reduce, boxes] of [
        ["max", stepped],
        ["mean", counted],
        ["max", adapted],
        ["mean", adapted],
      ] as const) {
        const shape: PoolShape = { batch: 2, channels, input, boxes, reduce };
        const x = rng.floats(2 * 450 * channels).map((value) => {
          const rounded = Math.round(value * 3) / 3;
          return reduce === "max" && rounded === 1 ? Number.NaN : rounded;
        });
        const expected = naive(shape, x).values;
        const { values } = pool(shape, x, false, 1);
        if (reduce === "max") expect(values).toEqual(expected);
        else expect(worstError(values, expected, RELATIVE)).toBeLessThan(1e-6);
        for (const threads of [2, 5, 97]) {
          const divided = pool(shape, x, false, threads).values;
          expect(Buffer.compare(Buffer.from(divided.buffer), Buffer.from(values.buffer))).toBe(0);
        }
        bed.clear();
      }
    }
  });

  test("a mean over windows may have a given divisor", () => {
    const shape: PoolShape = {
      batch: 1,
      channels: 5,
      input: window.input,
      boxes: slidingBoxes(window),
      reduce: "mean",
    };
    const x = rng.floats(252 * 5);
    const sums = pool({ ...shape, divisorOverride: 1 }, x).values;
    expect(pool({ ...shape, divisorOverride: 3 }, x).values).toEqual(sums.map((sum) => sum / 3));
  });
});

describe("adaptive", () => {
  test("an adaptive pooling takes sizes that do and do not divide the input, larger ones, and one", () => {
    for (const output of [
      [1, 1, 1],
      [2, 3, 4],
      [4, 7, 9],
      [5, 2, 11],
    ] as const) {
      for (const reduce of ["max", "mean"] as const) {
        const input: Spatial = [4, 7, 9];
        const shape: PoolShape = { batch: 2, channels: 7, input, boxes: adaptiveBoxes(input, output), reduce };
        const x = rng.floats(2 * 252 * 7);
        expect(worstError(pool(shape, x).values, naive(shape, x).values, RELATIVE)).toBeLessThan(1e-6);
        bed.clear();
      }
    }
  });
});
