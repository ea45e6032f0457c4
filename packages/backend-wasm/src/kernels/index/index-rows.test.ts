import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { WasmBackend } from "../../backend.ts";
import { runByAnyThreads } from "../../threads/by-any-threads.test-helper.ts";
import { divided } from "../../threads/divided.test-helper.ts";

const registry = registryOf();

/** The coordinates of each element of a shape, in row-major order. */
function coordinates(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (all, size) => all.flatMap((at) => Array.from({ length: size }, (_, i) => [...at, i])),
    [[]],
  );
}

/** Where an element is in a row-major tensor; dimensions of size 1 are expanded. */
function place(shape: readonly number[], at: readonly number[]): number {
  return shape.reduce((offset, size, d) => offset * size + (size === 1 ? 0 : at[d]!), 0);
}

const COMBINE = {
  sum: (a: number, b: number) => a + b,
  prod: (a: number, b: number) => a * b,
  amax: Math.max,
  amin: Math.min,
} as const;

interface Case {
  readonly dim: number;
  readonly self: readonly number[];
  /** As it is given, and as it is expanded. */
  readonly index: readonly number[];
  readonly expanded: readonly number[];
  readonly src: readonly number[];
}

const CASES: readonly Case[] = [
  { dim: 0, self: [50, 37], index: [200, 1], expanded: [200, 37], src: [200, 37] },
  { dim: 0, self: [50, 64], index: [200, 1], expanded: [200, 40], src: [201, 48] },
  { dim: 0, self: [9], index: [901], expanded: [901], src: [1000] },
  { dim: 1, self: [40, 9], index: [1, 70], expanded: [40, 70], src: [40, 70] },
  { dim: 1, self: [3, 9, 2, 35], index: [1, 70, 1, 1], expanded: [3, 70, 2, 35], src: [3, 70, 2, 35] },
  { dim: 2, self: [4, 5, 9], index: [4, 1, 50], expanded: [4, 5, 50], src: [4, 5, 50] },
  { dim: 1, self: [30, 7, 6], index: [30, 4, 6], expanded: [30, 4, 6], src: [31, 4, 7] },
  { dim: 0, self: [6, 3, 4, 5], index: [9, 3, 1, 5], expanded: [9, 3, 4, 5], src: [9, 3, 4, 5] },
];

test.each(CASES)("rows along dimension $dim of $self by an index of $index are those in order", async (given) => {
  const unit = randomUnit(7);
  // Some are NaN, an infinity or a zero of either sign.
  const odd = [Number.NaN, -0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const floats = (shape: readonly number[]): HostTensor => {
    const random = (): number => (unit() < 0.02 ? odd[Math.floor(unit() * 5)]! : Math.fround(2 * unit() - 1));
    return hostTensor("float32", shape, Float32Array.from(coordinates(shape), random));
  };
  const { dim, index: narrow, expanded } = given;
  const [self, src] = [floats(given.self), floats(given.src)];
  const positions = coordinates(narrow).map(() => Math.floor(unit() * given.self[dim]!));
  const index = hostTensor("int64", narrow, BigInt64Array.from(positions, BigInt));
  const reduces = Object.keys(COMBINE) as (keyof typeof COMBINE)[];
  const variants = reduces.flatMap((reduce) => [true, false].map((include) => ({ reduce, include })));
  const [s, x] = [`f32[${given.self}]`, `f32[${given.src}]`];
  const results = await runByAnyThreads(
    `
    user_input %s: ${s}
    user_input %n: i64[${narrow}]
    user_input %x: ${x}
    %i: i64[${expanded}] = aten::expand(self=%n, size=[${expanded}])
    %set: ${s} = aten::scatter.src(self=%s, dim=${dim}, index=%i, src=%x)
    %got: f32[${expanded}] = aten::gather(self=%s, dim=${dim}, index=%i)
    ${variants
      .map(
        ({ reduce, include }, i) =>
          `%r${i}: ${s} = aten::scatter_reduce.two(self=%s, dim=${dim}, index=%i, src=%x, reduce="${reduce}", include_self=${include})`,
      )
      .join("\n")}
    return %set, %got, ${variants.map((_, i) => `%r${i}`).join(", ")}`,
    [self, index, src],
  );
  const elements = coordinates(expanded).map((at) => {
    const row = positions[place(narrow, at)]!;
    const to = place(
      given.self,
      at.map((i, d) => (d === dim ? row : i)),
    );
    return { from: (src.data as Float32Array)[place(given.src, at)]!, to };
  });
  const expected = [self, hostTensor("float32", expanded, new Float32Array(elements.length))].map(
    ({ data }) => new Float32Array(data as Float32Array),
  );
  for (const [i, { from, to }] of elements.entries()) {
    expected[0]![to] = from;
    expected[1]![i] = (self.data as Float32Array)[to]!;
  }
  for (const { reduce, include } of variants) {
    const sums = new Float32Array(self.data as Float32Array);
    const seen = new Set<number>();
    for (const { from, to } of elements) {
      sums[to] = include || seen.has(to) ? COMBINE[reduce](sums[to]!, from) : from;
      seen.add(to);
    }
    expected.push(sums);
  }
  expect(results.map(({ data }) => data)).toEqual(expected);
});

test("an index that is expanded is checked before anything is written, and says which one it is", async () => {
  await using backend = new WasmBackend(divided(2));
  const executable = await backend.compile({
    program: programOf(`
      user_input %s: f32[5, 64]
      user_input %n: i64[300]
      user_input %x: f32[300, 64]
      %y: f32[5, 64] = aten::index_add(self=%s, dim=0, index=%n, source=%x)
      %z: f32[300, 64] = aten::index_select(self=%s, dim=0, index=%n)
      return %y, %z`),
    weights: weightsOf({}),
    registry,
  });
  const ones = (...shape: number[]): HostTensor =>
    hostTensor("float32", shape, new Float32Array(shape.reduce((a, b) => a * b)).fill(1));
  const run = (last: bigint) =>
    executable.run([ones(5, 64), hostTensor("int64", [300], new BigInt64Array(300).fill(last, 299)), ones(300, 64)]);
  for (const outside of [-1n, 5n, 1n << 32n]) {
    await expect(run(outside)).rejects.toThrow(`index ${outside} is out of bounds for dimension 0 with size 5`);
  }
  const [sums] = (await run(4n)) as readonly HostTensor[];
  expect([sums!.data[0], sums!.data[5 * 64 - 1]]).toEqual([300, 2]);
});

test("float16 and bfloat16 add up in float32, and other dtypes in their own arithmetic", async () => {
  const [self, index] = [hostTensor("float32", [2, 3], new Float32Array(6).fill(1)), new BigInt64Array(40)];
  const lines = ["f16", "bf16", "f64", "i64", "i32", "u8"].map((dtype, k) => {
    const name = { f16: "float16", bf16: "bfloat16", f64: "float64", i64: "int64", i32: "int32", u8: "uint8" }[dtype];
    return `
      %s${k}: ${dtype}[2, 3] = aten::to.dtype(self=%s, dtype=torch.${name})
      %x${k}: ${dtype}[40, 3] = aten::to.dtype(self=%x, dtype=torch.${name})
      %m${k}: ${dtype}[2, 3] = aten::scatter_reduce.two(self=%s${k}, dim=0, index=%i, src=%x${k}, reduce="mean", include_self=false)
      %a${k}: ${dtype}[2, 3] = aten::scatter_add(self=%s${k}, dim=0, index=%i, src=%x${k})
      %y${k}: f32[2, 3] = aten::to.dtype(self=%a${k}, dtype=torch.float32)
      %z${k}: f32[2, 3] = aten::to.dtype(self=%m${k}, dtype=torch.float32)`;
  });
  const results = await runByAnyThreads(
    `
    user_input %s: f32[2, 3]
    user_input %n: i64[40, 1]
    user_input %x: f32[40, 3]
    %i: i64[40, 3] = aten::expand(self=%n, size=[40, 3])${lines.join("")}
    return ${lines.map((_, k) => `%y${k}, %z${k}`).join(", ")}`,
    [self, hostTensor("int64", [40, 1], index), hostTensor("float32", [40, 3], new Float32Array(120).fill(3))],
  );
  for (const [i, { data }] of results.entries())
    expect([...data]).toEqual(i % 2 === 0 ? [121, 121, 121, 1, 1, 1] : [3, 3, 3, 1, 1, 1]);
});

test("an index that is expanded to no elements is not read", async () => {
  const [y] = await runByAnyThreads(
    `
    user_input %s: f32[5, 3]
    user_input %n: i64[1]
    %e: i64[0] = aten::expand(self=%n, size=[0])
    %y: f32[0, 3] = aten::index.Tensor(self=%s, indices=[%e])
    return %y`,
    [hostTensor("float32", [5, 3], new Float32Array(15)), hostTensor("int64", [1], BigInt64Array.of(9n))],
  );
  expect(y!.shape).toEqual([0, 3]);
});
