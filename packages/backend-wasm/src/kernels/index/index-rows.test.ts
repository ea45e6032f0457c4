import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { bitsToFloat32, type DType, floatToBits } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { WasmBackend } from "../../backend.ts";
import { runByAnyThreads } from "../../threads/by-any-threads.test-helper.ts";
import { divided } from "../../threads/divided.test-helper.ts";
import { KERNEL_PARTS } from "../kernels-on-demand.ts";
import { indexPutMask } from "./index-put-mask.ts";
import { indexPut } from "./index-tensor.ts";

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

test.each(["float16", "bfloat16"] as const)(
  "each sum of two elements of %s is rounded, whatever their bits",
  async (dtype) => {
    const count = 2 ** 16;
    const every = Uint16Array.from({ length: count }, (_, i) => i);
    // Each meets others of all sizes, and of these some that are halfway between two.
    const others = every.map((bits, i) => (i % 3 === 0 ? Math.imul(bits, 40503) : bits ^ (i % 61)));
    const type = dtype === "float16" ? "f16" : "bf16";
    const [sums] = await runByAnyThreads(
      `
    user_input %s: ${type}[${count}]
    user_input %i: i64[${count}]
    user_input %x: ${type}[${count}]
    %y: ${type}[${count}] = aten::index_put(self=%s, indices=[%i], values=%x, accumulate=true)
    return %y`,
      [
        hostTensor(dtype, [count], every),
        hostTensor("int64", [count], BigInt64Array.from(every, BigInt)),
        hostTensor(dtype, [count], others),
      ],
    );
    const [x, y] = [every, others].map((bits) => bitsToFloat32(dtype, new Uint8Array(bits.buffer)));
    const right = Uint16Array.from(x!, (a, i) => floatToBits(dtype, a + y![i]!));
    expect(new Uint16Array(sums!.bytes.slice().buffer)).toEqual(right);
  },
);

test.each(["bool", "float16", "int32", "float64", "int64", "complex64", "complex128"])(
  "elements of %s that have a position each are read and written, whatever the strides",
  async (name) => {
    const dtype =
      { bool: "bool", float16: "f16", int32: "i32", float64: "f64", int64: "i64" }[name] ??
      name.replace("complex", "c");
    const unit = randomUnit(9);
    const integers = (shape: readonly number[], below: number): HostTensor =>
      hostTensor(
        "int64",
        shape,
        BigInt64Array.from(coordinates(shape), () => BigInt(Math.floor(unit() * below))),
      );
    const most = name === "bool" ? 2 : 1000;
    const [self, src, index] = [integers([9, 13], most), integers([9, 13], most), integers([9, 11], 9)];
    const back = name.startsWith("complex")
      ? (x: string) => `aten::real(self=${x})`
      : (x: string) => `aten::clone(self=${x})`;
    const part = { complex64: "f32", complex128: "f64" }[name] ?? dtype;
    const shapes = { gs: [9, 11], gt: [9, 11], ss: [9, 13], st: [13, 9], sx: [13, 9] };
    const names = Object.keys(shapes) as (keyof typeof shapes)[];
    const results = await runByAnyThreads(
      `
      user_input %a: i64[9, 13]
      user_input %b: i64[9, 13]
      user_input %i: i64[9, 11]
      %s: ${dtype}[9, 13] = aten::to.dtype(self=%a, dtype=torch.${name})
      %x: ${dtype}[9, 13] = aten::to.dtype(self=%b, dtype=torch.${name})
      %t: ${dtype}[13, 9] = aten::t(self=%s)
      %y: ${dtype}[13, 9] = aten::t(self=%x)
      %j: i64[11, 9] = aten::t(self=%i)
      %gs: ${dtype}[9, 11] = aten::gather(self=%s, dim=1, index=%i)
      %gt: ${dtype}[11, 9] = aten::gather(self=%t, dim=0, index=%j)
      %ss: ${dtype}[9, 13] = aten::scatter.src(self=%s, dim=1, index=%i, src=%x)
      %st: ${dtype}[13, 9] = aten::scatter.src(self=%t, dim=0, index=%j, src=%y)
      %sx: ${dtype}[13, 9] = aten::scatter.src(self=%t, dim=1, index=%j, src=%y)
      %hs: ${dtype}[9, 11] = aten::t(self=%gt)
      ${names.map((key) => `%p${key}: ${part}[${shapes[key]}] = ${back(key === "gt" ? "%hs" : `%${key}`)}`).join("\n")}
      ${names.map((key) => `%r${key}: i64[${shapes[key]}] = aten::to.dtype(self=%p${key}, dtype=torch.int64)`).join("\n")}
      return ${names.map((key) => `%r${key}`).join(", ")}`,
      [self, src, index],
    );
    const [a, b, at] = [self, src, index].map(({ data }) => [...(data as BigInt64Array)].map(Number));
    const read = coordinates([9, 11]).map(([i, j]) => a![i! * 13 + at![i! * 11 + j!]!]!);
    const [ss, sx] = [[...a!], [...a!]];
    for (const [i, j] of coordinates([9, 11])) ss[i! * 13 + at![i! * 11 + j!]!] = b![i! * 13 + j!]!;
    for (const [j, i] of coordinates([11, 9])) sx[at![i! * 11 + j!]! * 13 + j!] = b![i! * 13 + j!]!;
    const across = (x: readonly number[]): number[] => coordinates([13, 9]).map(([j, i]) => x[i! * 13 + j!]!);
    expect(results.map(({ data }) => [...(data as BigInt64Array)].map(Number))).toEqual([
      read,
      read,
      ss,
      across(ss),
      across(sx),
    ]);
  },
);

test("a position that does not exist is refused wherever it lies, and one from the end is found", async () => {
  await using backend = new WasmBackend(divided(1));
  const executable = await backend.compile({
    program: programOf(`
      user_input %s: f32[5]
      user_input %n: i64[11]
      %y: f32[11] = aten::index.Tensor(self=%s, indices=[%n])
      return %y`),
    weights: weightsOf({}),
    registry,
  });
  const self = hostTensor("float32", [5], Float32Array.of(10, 11, 12, 13, 14));
  const run = (index: BigInt64Array<ArrayBuffer>) => executable.run([self, hostTensor("int64", [11], index)]);
  for (let at = 0; at < 11; at++) {
    for (const outside of [-6n, 5n, 1n << 32n, (1n << 32n) + 2n, -(1n << 32n), 1n << 63n]) {
      const value = BigInt.asIntN(64, outside);
      await expect(run(new BigInt64Array(11).fill(value, at, at + 1))).rejects.toThrow(
        `index ${Number(value)} is out of`,
      );
    }
  }
  const [y] = (await run(BigInt64Array.of(-5n, 4n, -1n, 0n, 1n, -2n, 3n, -4n, -3n, 2n, -5n))) as readonly HostTensor[];
  expect([...y!.data]).toEqual([10, 14, 14, 10, 11, 13, 13, 11, 12, 12, 10]);
});

test("tuples of positions are added up, however their indices are broadcast", async () => {
  const unit = randomUnit(3);
  const values = Float32Array.from({ length: 6 * 5 * 7 * 3 }, (_, i) => i);
  const positions = (shape: readonly number[], below: number): HostTensor =>
    hostTensor(
      "int64",
      shape,
      BigInt64Array.from(coordinates(shape), () => BigInt(Math.floor(unit() * 2 * below) - below)),
    );
  const [i, j, k] = [positions([4, 1, 2], 5), positions([3, 1], 7), positions([4, 3, 2], 7)];
  const [near, far, put] = await runByAnyThreads(
    `
    user_input %s: f32[6, 5, 7, 3]
    user_input %i: i64[4, 1, 2]
    user_input %j: i64[3, 1]
    user_input %k: i64[4, 3, 2]
    %near: f32[6, 4, 3, 2, 3] = aten::index.Tensor(self=%s, indices=[none, %i, %j])
    %far: f32[6, 4, 3, 2, 3] = aten::index.Tensor(self=%s, indices=[none, %i, %k])
    %ones: f32[] = aten::scalar_tensor(s=1)
    %put: f32[6, 5, 7, 3] = aten::index_put(self=%s, indices=[none, %i, %j], values=%ones, accumulate=true)
    return %near, %far, %put`,
    [hostTensor("float32", [6, 5, 7, 3], values), i, j, k],
  );
  const sums = Float32Array.from(values);
  const chosen = (last: HostTensor) =>
    coordinates([6, 4, 3, 2, 3]).map(([a, p, q, r, c]) => {
      const from = (x: HostTensor, at: readonly number[], size: number): number =>
        (Number(x.data[place(x.shape, at)]) + size) % size;
      return ((a! * 5 + from(i, [p!, 0, r!], 5)) * 7 + from(last, last === j ? [q!, 0] : [p!, q!, r!], 7)) * 3 + c!;
    });
  for (const at of chosen(j)) sums[at]! += 1;
  expect([...near!.data]).toEqual(chosen(j));
  expect([...far!.data]).toEqual(chosen(k));
  expect(put!.data).toEqual(sums);
});

test("only masks leave to a run what is written, and a number for a mask needs no positions", async () => {
  const tensor = (dtype: DType, ...shape: number[]): TensorMeta => ({ dtype, shape });
  const args = { self: tensor("float32", 4), accumulate: false };
  await KERNEL_PARTS.load("aten::index_put");
  for (const [dtype, values, kernel] of [
    ["int64", [], indexPut],
    ["bool", [3], indexPutMask],
    ["bool", [], undefined],
  ] as const) {
    const all = { ...args, values: tensor("float32", ...values), indices: [tensor(dtype, 4)] };
    expect(KERNEL_PARTS.find("aten::index_put", all) ?? undefined).toBe(kernel);
  }
  const [y] = await runByAnyThreads(
    `
    user_input %s: f32[2, 3]
    user_input %m: bool[2]
    user_input %v: f32[1]
    %y: f32[2, 3] = aten::index_put(self=%s, indices=[%m], values=%v)
    return %y`,
    [
      hostTensor("float32", [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6)),
      hostTensor("bool", [2], Uint8Array.of(0, 1)),
      hostTensor("float32", [1], Float32Array.of(9)),
    ],
  );
  expect([...y!.data]).toEqual([1, 2, 3, 9, 9, 9]);
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
