import { hostTensor } from "@pt2/backend";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { runByAnyThreads } from "../../threads/by-any-threads.test-helper.ts";

interface Case {
  readonly input: readonly number[];
  readonly weight: readonly number[];
  readonly stride?: readonly number[];
  readonly padding?: readonly number[];
  readonly dilation?: readonly number[];
  readonly outputPadding?: readonly number[];
  readonly groups?: number;
  readonly transposed?: boolean;
  readonly bias?: boolean;
}

const CASES: readonly Case[] = [
  { input: [2, 3, 7], weight: [5, 3, 3], padding: [1], bias: true },
  { input: [2, 5, 7, 6], weight: [3, 5, 1, 1], bias: true },
  { input: [1, 1, 7, 6], weight: [3, 1, 1, 1] },
  { input: [1, 5, 7, 6], weight: [3, 5, 1, 1], stride: [2, 3] },
  { input: [2, 4, 11, 9], weight: [6, 2, 3, 2], stride: [2, 1], padding: [1, 2], dilation: [1, 3], groups: 2 },
  { input: [1, 6, 5, 5], weight: [6, 1, 3, 3], padding: [1, 1], groups: 6, bias: true },
  { input: [2, 2, 5, 4, 3], weight: [3, 2, 2, 1, 3], padding: [0, 1, 1], stride: [1, 2, 1] },
  // Blocks: several of one picture, and several pictures in one.
  { input: [2, 40, 17, 18], weight: [1, 40, 3, 3], padding: [1, 1] },
  { input: [40, 30, 6, 4], weight: [2, 30, 3, 2], bias: true },
  { input: [2, 200, 160], weight: [1, 200, 3] },
  { input: [1, 6, 200, 3], weight: [2, 3, 60, 1], groups: 2 },
  // A stride beyond the input.
  { input: [1, 2, 4, 4], weight: [2, 2, 2, 2], stride: [2 ** 31 - 1, 9] },
  { input: [2, 3, 5], weight: [3, 4, 3], transposed: true, stride: [2], bias: true },
  { input: [2, 4, 3, 5], weight: [4, 3, 3, 2], transposed: true, stride: [3, 1], padding: [1, 0], groups: 2 },
  {
    input: [1, 2, 4, 3],
    weight: [2, 2, 2, 3],
    transposed: true,
    stride: [2, 3],
    padding: [2, 3],
    outputPadding: [1, 2],
  },
  // More padding than a window reaches.
  { input: [1, 2, 9], weight: [2, 3, 2], transposed: true, padding: [3] },
  { input: [1, 2, 9], weight: [2, 3, 1], transposed: true, padding: [1], dilation: [3], outputPadding: [2] },
  { input: [1, 2, 9, 5], weight: [2, 3, 2, 1], transposed: true, stride: [4, 2], padding: [6, 2], dilation: [2, 1] },
];

/** Adds one product after the other, in the order in which a weight has them, to a result that starts as zero. */
function convolve<T extends number | bigint>(
  given: Case,
  out: readonly number[],
  x: ArrayLike<T>,
  w: ArrayLike<T>,
  zero: T,
  addProduct: (sum: T, a: T, b: T) => T,
): T[] {
  const { input, weight, groups = 1, transposed = false } = given;
  const axes = weight.slice(2).map((_, axis) => axis);
  const at = (of: readonly number[] | undefined, axis: number, none: number): number => of?.[axis] ?? none;
  const flat = (shape: readonly number[], place: readonly number[]): number =>
    shape.reduce((offset, size, d) => offset * size + place[d]!, 0);
  const all = (shape: readonly number[]): number[][] =>
    shape.reduce<number[][]>(
      (places, size) => places.flatMap((p) => Array.from({ length: size }, (_, i) => [...p, i])),
      [[]],
    );
  const channels = input[1]! / groups;
  const eachOut = out[1]! / groups;
  return all(out).map(([n, o, ...place]) => {
    let sum = zero;
    const group = Math.floor(o! / eachOut);
    for (let c = 0; c < channels; c++) {
      const channel = group * channels + c;
      for (const tap of all(weight.slice(2))) {
        // A transposed convolution goes through its taps from the last one on.
        const k = transposed ? tap.map((i, axis) => weight[axis + 2]! - 1 - i) : tap;
        const from = axes.map((axis) => {
          const [stride, before] = [at(given.stride, axis, 1), at(given.padding, axis, 0)];
          const reach = k[axis]! * at(given.dilation, axis, 1);
          return transposed ? (place[axis]! + before - reach) / stride : place[axis]! * stride - before + reach;
        });
        if (from.some((i, axis) => !(Number.isInteger(i) && i >= 0 && i < input[axis + 2]!))) continue;
        const factor = transposed ? flat(weight, [channel, o! % eachOut, ...k]) : flat(weight, [o!, c, ...k]);
        sum = addProduct(sum, x[flat(input, [n!, channel, ...from])]!, w[factor]!);
      }
    }
    return sum;
  });
}

function resultShape({ input, weight, transposed, ...given }: Case): readonly number[] {
  const sizes = input.slice(2).map((size, axis) => {
    const [stride, before, dilation] = [
      given.stride?.[axis] ?? 1,
      given.padding?.[axis] ?? 0,
      given.dilation?.[axis] ?? 1,
    ];
    const reach = dilation * (weight[axis + 2]! - 1) + 1;
    if (transposed) return (size - 1) * stride - 2 * before + reach + (given.outputPadding?.[axis] ?? 0);
    return Math.floor((size + 2 * before - reach) / stride) + 1;
  });
  const results = transposed ? weight[1]! * (given.groups ?? 1) : weight[0]!;
  return [input[0]!, results, ...sizes];
}

test.each(CASES)(
  "a convolution of $input by $weight is the sum of products in order, in float64 and in integers",
  async (given) => {
    const { input, weight, groups = 1, transposed = false } = given;
    const axes = weight.slice(2);
    const out = resultShape(given);
    const unit = randomUnit(11);
    const count = (shape: readonly number[]): number => shape.reduce((n, size) => n * size, 1);
    const floats = [input, weight].map((shape) => Float64Array.from({ length: count(shape) }, () => unit() - 0.5));
    const longs = [input, weight].map((shape) =>
      BigInt64Array.from({ length: count(shape) }, () => BigInt(Math.floor((unit() - 0.5) * 2 ** 53)) * 977n),
    );
    const bytes = [input, weight].map((shape) =>
      Int8Array.from({ length: count(shape) }, () => Math.floor(256 * unit()) - 128),
    );
    const [x, w, y] = [input, weight, out].map((shape) => `[${shape}]`);
    const settings = [
      `stride=[${given.stride ?? axes.map(() => 1)}]`,
      `padding=[${given.padding ?? axes.map(() => 0)}]`,
      `dilation=[${given.dilation ?? axes.map(() => 1)}]`,
      `transposed=${transposed}`,
      `output_padding=[${given.outputPadding ?? axes.map(() => 0)}]`,
      `groups=${groups}`,
    ].join(", ");
    const results = out.at(-axes.length - 1)!;
    const bias = Float64Array.from({ length: results }, (_, i) => i + 0.25);
    const call = (dtype: string, name: string, add = "none"): string =>
      `%y${name}: ${dtype}${y} = aten::convolution(input=%x${name}, weight=%w${name}, bias=${add}, ${settings})`;
    const found = await runByAnyThreads(
      `
    user_input %x0: f64${x}
    user_input %w0: f64${w}
    user_input %x1: i64${x}
    user_input %w1: i64${w}
    user_input %x2: i8${x}
    user_input %w2: i8${w}
    user_input %b: f64[${results}]
    ${call("f64", "0", given.bias ? "%b" : "none")}
    ${call("i64", "1")}
    ${call("i8", "2")}
    return %y0, %y1, %y2`,
      [
        hostTensor("float64", input, floats[0]!),
        hostTensor("float64", weight, floats[1]!),
        hostTensor("int64", input, longs[0]!),
        hostTensor("int64", weight, longs[1]!),
        hostTensor("int8", input, bytes[0]!),
        hostTensor("int8", weight, bytes[1]!),
        hostTensor("float64", [results], bias),
      ],
    );
    const space = count(out.slice(-axes.length));
    const sums = convolve(given, out, floats[0]!, floats[1]!, 0, (sum, a, b) => sum + a * b);
    const added = given.bias ? sums.map((sum, i) => sum + bias[Math.floor(i / space) % results]!) : sums;
    // A transposed one of float64 adds up in another order.
    const near = (value: number): unknown => (transposed ? expect.closeTo(value, 13) : value);
    expect([...(found[0]!.data as Float64Array)]).toEqual(added.map(near));
    expect(found[1]!.data).toEqual(
      BigInt64Array.from(convolve(given, out, longs[0]!, longs[1]!, 0n, (sum, a, b) => BigInt.asIntN(64, sum + a * b))),
    );
    expect(found[2]!.data).toEqual(
      Int8Array.from(convolve(given, out, bytes[0]!, bytes[1]!, 0, (sum, a, b) => (sum + a * b) | 0)),
    );
  },
);

test("an infinite weight of a transposed convolution shows where it is multiplied, and nowhere else", async () => {
  const [found] = await runByAnyThreads(
    `
    user_input %x: f64[1, 1, 2]
    user_input %w: f64[1, 1, 2]
    %y: f64[1, 1, 4] = aten::convolution(input=%x, weight=%w, bias=none, stride=[2], padding=[0], dilation=[1], transposed=true, output_padding=[0], groups=1)
    return %y`,
    [
      hostTensor("float64", [1, 1, 2], Float64Array.of(2, -3)),
      hostTensor("float64", [1, 1, 2], Float64Array.of(Number.POSITIVE_INFINITY, 5)),
    ],
  );
  expect([...(found!.data as Float64Array)]).toEqual([Number.POSITIVE_INFINITY, 10, Number.NEGATIVE_INFINITY, -15]);
});
