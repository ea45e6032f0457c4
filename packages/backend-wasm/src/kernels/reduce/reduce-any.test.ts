import { hostTensor } from "@pt2/backend";
import { randomBelow } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { runBody } from "../../engine/programs.test-helper.ts";
import { runByAnyThreads } from "../../threads/by-any-threads.test-helper.ts";
import { columnsAlong } from "./reference.test-helper.ts";

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

const sum = (x: readonly number[]): number => x.reduce((a, b) => a + b, 0);
const FOLDS = {
  sum,
  mean: (x: readonly number[]) => sum(x) / x.length,
  amax: (x: readonly number[]) => x.reduce((a, b) => Math.max(a, b)),
  amin: (x: readonly number[]) => x.reduce((a, b) => Math.min(a, b)),
} as const;

const SHAPES: readonly (readonly [shape: readonly number[], dims: readonly number[]])[] = [
  [[7, 301], [1]],
  [[3, 1], [1]],
  [[301, 47], [0]],
  [[3, 2501], [0]],
  [[3, 40, 50], [1]],
  [[40, 9, 3], [1]],
  [
    [5, 6, 7, 3],
    [0, 2],
  ],
  [
    [2, 517],
    [0, 1],
  ],
  [[4, 1, 3], [1]],
];

test.each(SHAPES)(
  "reductions of float64 of the shape %j over %j are those of exact numbers, with infinities and NaN",
  async (shape, dims) => {
    const below = randomBelow(7);
    const length = shape.reduce((n, size) => n * size, 1);
    const x = Float64Array.from({ length }, () => (below(2001) - 1000) * 2 ** 30);
    const strange = x.map((value, i) => [value, inf, value, -inf, value, nan][below(length) < 5 ? i % 6 : 0]!);
    const kept = shape.filter((_, d) => !dims.includes(d));
    const lines = ["x", "y"].map(
      (name) => `
      %${name}0: f64[${kept}] = aten::sum.dim_IntList(self=%${name}, dim=[${dims}])
      %${name}1: f64[${kept}] = aten::mean.dim(self=%${name}, dim=[${dims}])
      %${name}2: f64[${kept}] = aten::amax(self=%${name}, dim=[${dims}])
      %${name}3: f64[${kept}] = aten::amin(self=%${name}, dim=[${dims}])`,
    );
    const results = await runByAnyThreads(
      `
      user_input %x: f64[${shape}]
      user_input %y: f64[${shape}]${lines.join("")}
      return %x0, %x1, %x2, %x3, %y0, %y1, %y2, %y3`,
      [hostTensor("float64", shape, x), hostTensor("float64", shape, strange)],
    );
    const expected = [x, strange].flatMap((data) =>
      Object.values(FOLDS).map((fold) => columnsAlong([...data], shape, dims).map(fold)),
    );
    expect(results.map(({ data }) => [...(data as Float64Array)])).toEqual(expected);
  },
);

test("products of floats run in double and are rounded once, along rows and columns of any length", async () => {
  for (const shape of [
    [3, 1],
    [3, 9],
    [5, 83],
  ] as const) {
    const below = randomBelow(11);
    const length = shape[0] * shape[1];
    // Powers of two and threes: no order of a product rounds in double precision.
    const x = Float32Array.from({ length }, () => (below(20) === 0 ? 3 : 2 ** (below(5) - 2)) * (below(2) ? 1 : -1));
    const half = x.map((value) => Math.max(-2, Math.min(2, value)));
    const results = await runByAnyThreads(
      `
      user_input %x: f32[${shape}]
      user_input %y: f32[${shape}]
      %d: f64[${shape}] = aten::to.dtype(self=%x, dtype=torch.float64)
      %h: f16[${shape}] = aten::to.dtype(self=%y, dtype=torch.float16)
      %a: f32[${shape[0]}] = aten::prod.dim_int(self=%x, dim=1)
      %b: f32[${shape[1]}] = aten::prod.dim_int(self=%x, dim=0)
      %c: f64[] = aten::prod(self=%d)
      %e: f64[${shape[1]}] = aten::prod.dim_int(self=%d, dim=0)
      %f: f16[${shape[0]}] = aten::prod.dim_int(self=%h, dim=1)
      %g: f32[${shape[0]}] = aten::to.dtype(self=%f, dtype=torch.float32)
      return %a, %b, %c, %e, %g`,
      [hostTensor("float32", shape, x), hostTensor("float32", shape, half)],
    );
    const product = (values: readonly number[]): number => values.reduce((a, b) => a * b, 1);
    const along = (data: Float32Array, dim: number): number[] => columnsAlong([...data], shape, [dim]).map(product);
    const halves = along(half, 1).map((value) => (Math.abs(value) > 65504 ? Math.sign(value) * inf : value));
    expect(results.map(({ data }) => [...(data as Float64Array)])).toEqual([
      along(x, 1).map(Math.fround),
      along(x, 0).map(Math.fround),
      [product([...x])],
      along(x, 0),
      halves.map((value) => (Math.abs(value) < 2 ** -25 ? Math.sign(value) * 0 : value)),
    ]);
  }
});

test("reductions read views in any order, with steps between elements, and elements that are repeated", async () => {
  const x = Float64Array.from({ length: 60 }, (_, i) => ((i * 17) % 23) - 11);
  const [results] = await runBody(
    `
  user_input %x: f64[3, 4, 5]
  %t: f64[5, 4, 3] = aten::permute(self=%x, dims=[2, 1, 0])
  %a: f64[5, 3] = aten::sum.dim_IntList(self=%t, dim=[1])
  %s: f64[3, 2, 5] = aten::slice.Tensor(self=%x, dim=1, start=1, end=4, step=2)
  %b: f64[5] = aten::amax(self=%s, dim=[0, 1])
  %r: f64[3, 4, 1] = aten::slice.Tensor(self=%x, dim=2, start=2, end=3)
  %e: f64[3, 4, 6] = aten::expand(self=%r, size=[3, 4, 6])
  %c: f64[3, 4] = aten::mean.dim(self=%e, dim=[2])
  %d: f64[4] = aten::sum.dim_IntList(self=%e, dim=[0, 2])
  %line: f64[4, 5] = aten::select.int(self=%x, dim=0, index=2)
  %row: f64[5] = aten::select.int(self=%line, dim=0, index=3)
  %z: f64[] = aten::select.int(self=%row, dim=0, index=1)
  %p: f64[] = aten::prod(self=%z)
  return %a, %b, %c, %d, %p`,
    [[hostTensor("float64", [3, 4, 5], x)]],
  );
  const at = (a: number, b: number, c: number): number => x[a * 20 + b * 5 + c]!;
  const of = (n: number): readonly number[] => [...Array(n).keys()];
  expect(results).toEqual([
    of(5).flatMap((c) => of(3).map((a) => sum(of(4).map((b) => at(a, b, c))))),
    of(5).map((c) => Math.max(...of(3).flatMap((a) => [at(a, 1, c), at(a, 3, c)]))),
    of(3).flatMap((a) => of(4).map((b) => at(a, b, 2))),
    of(4).map((b) => 6 * sum(of(3).map((a) => at(a, b, 2)))),
    [at(2, 3, 1)],
  ]);
});

test("reductions of no floats are what they start from, and zeros have the signs of sums and products", async () => {
  const [results] = await runBody(
    `
  user_input %x: f64[0, 3]
  user_input %y: f32[2, 0]
  user_input %z: f64[2, 2]
  %a: f64[3] = aten::sum.dim_IntList(self=%x, dim=[0])
  %b: f64[3] = aten::mean.dim(self=%x, dim=[0])
  %c: f64[3] = aten::prod.dim_int(self=%x, dim=0)
  %d: f32[2] = aten::sum.dim_IntList(self=%y, dim=[1])
  %e: f32[2] = aten::mean.dim(self=%y, dim=[1])
  %f: f32[] = aten::prod(self=%y)
  %g: f64[0] = aten::amax(self=%x, dim=[1])
  %h: f64[2] = aten::sum.dim_IntList(self=%z, dim=[0])
  %i: f64[2] = aten::prod.dim_int(self=%z, dim=1)
  return %a, %b, %c, %d, %e, %f, %g, %h, %i`,
    [
      [
        hostTensor("float64", [0, 3], new Float64Array(0)),
        hostTensor("float32", [2, 0], new Float32Array(0)),
        hostTensor("float64", [2, 2], Float64Array.of(-0, -0, -0, 1)),
      ],
    ],
  );
  expect(results).toEqual([[0, 0, 0], [nan, nan, nan], [1, 1, 1], [0, 0], [nan, nan], [1], [], [0, 1], [0, -0]]);
});

test("sums of integers with a dtype wrap around in it, and sums of bools in it are whether any is true", async () => {
  const x = Int32Array.of(2 ** 31 - 1, 5, 0, -(2 ** 31), -7, 0);
  const [results] = await runBody(
    `
  user_input %x: i32[2, 3]
  %a: i32[3] = aten::sum.dim_IntList(self=%x, dim=[0], dtype=torch.int32)
  %b: i32[2] = aten::prod.dim_int(self=%x, dim=1, dtype=torch.int32)
  %c: u8[2] = aten::sum.dim_IntList(self=%x, dim=[1], dtype=torch.uint8)
  %d: bool[3] = aten::sum.dim_IntList(self=%x, dim=[0], dtype=torch.bool)
  %e: bool[2] = aten::prod.dim_int(self=%x, dim=1, dtype=torch.bool)
  %f: f64[2] = aten::mean.dim(self=%x, dim=[1], dtype=torch.float64)
  return %a, %b, %c, %d, %e, %f`,
    [[hostTensor("int32", [2, 3], x)]],
  );
  expect(results).toEqual([
    [-1, -2, 0],
    [0, 0],
    [(2 ** 31 - 1 + 5) % 256, 249],
    [1, 1, 0],
    [0, 0],
    [(2 ** 31 + 4) / 3, (-(2 ** 31) - 7) / 3],
  ]);
});
