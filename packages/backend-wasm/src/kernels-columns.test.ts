// Softmax of columns has the bits of softmax of rows.
import { hostTensor } from "@pt2/backend";
import { expect, test } from "vitest";
import { random, testbed } from "./kernels.test-helper.ts";
import { runByAnyThreads } from "./threads/by-any-threads.test-helper.ts";

const rng = random(4);
const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

const bits = (numbers: Float32Array): string[] => Array.from(numbers, (x) => (Number.isNaN(x) ? "NaN" : String(x)));

/** A matrix of so many rows and columns, the other way around. */
function transposed(data: Float32Array, rows: number, columns: number): Float32Array {
  return data.map((_, i) => data[(i % rows) * columns + Math.floor(i / rows)]!);
}

test.each([1, 2, 3, 4, 5, 7, 8, 21, 64, 255, 256, 1021, 1023, 1024])("of %i elements", (n) => {
  const bed = testbed(64);
  for (const count of [4, 5, 7, 16, 18, 64, 67, 131]) {
    const data = rng.floats(n * count).map((x) => 20 * x);
    if (n > 2) {
      data[count] = nan;
      data[1] = inf;
      for (let row = 0; row < n; row++) data[row * count + 2] = -inf;
    }
    for (const isLog of [0, 1]) {
      bed.clear();
      const [from, to, apart] = [bed.put(data), bed.room(n * count), bed.room(n * count)];
      const scratch = bed.room((bed.kernels.softmaxScratch(n) >>> 0) / 4);
      bed.kernels.softmaxColumns(from, to, n, 4 * count, count, isLog, scratch);
      const rows = bed.put(transposed(data, n, count));
      bed.kernels[isLog ? "logSoftmaxRows" : "softmaxRows"](rows, apart, count, n);
      const right = transposed(bed.floats(apart, n * count), count, n);
      expect(bits(bed.floats(to, n * count)), `${count} columns`).toEqual(bits(right));
      expect(bed.intact()).toBe(true);
    }
  }
});

test.each([
  [[3, 21, 5, 11], 1],
  [[2, 300, 9], 1],
  [[40, 17], 0],
  [[6, 5, 3], 1],
])("of %j along %i, by any threads, as of rows that are moved there and back", async (shape, dim) => {
  const x = hostTensor("float32", shape, rng.floats(shape.reduce((n, size) => n * size, 1)));
  const order = [...shape.keys()].filter((d) => d !== dim).concat(dim);
  const back = shape.map((_, d) => order.indexOf(d));
  const moved = order.map((d) => shape[d]!);
  for (const op of ["softmax", "log_softmax"]) {
    const [columns, rows] = await runByAnyThreads(
      `
      user_input %x: f32[${shape}]
      %y: f32[${shape}] = aten::${op}.int(self=%x, dim=${dim})
      %p: f32[${moved}] = aten::permute(self=%x, dims=[${order}])
      %c: f32[${moved}] = aten::clone(self=%p, memory_format=torch.contiguous_format)
      %r: f32[${moved}] = aten::${op}.int(self=%c, dim=${shape.length - 1})
      %z: f32[${shape}] = aten::permute(self=%r, dims=[${back}])
      return %y, %z`,
      [x],
    );
    expect(Buffer.compare(columns!.bytes, rows!.bytes)).toBe(0);
  }
});
