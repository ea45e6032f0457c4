import { type HostTensor, hostTensor, type Tensor, type Value } from "@pt2/backend";
import { ints, someFloats } from "../programs.ts";
import { weightOf } from "../weight-of.ts";
import { expectThat } from "./expectations.ts";
import type { LifecycleCase, LifecycleTools } from "./lifecycle-case.ts";

/** A step of a decoder: what is computed for the new row alone lies between what grows with the cache. */
const DECODER = `program {
  range s0 = [1, 256]
  parameter "query" = %wq: f32[8, 8]
  parameter "key" = %wk: f32[8, 8]
  parameter "out" = %wo: f32[8, 8]
  parameter "words" = %words: f32[5, 8]
  parameter "nothing" = %nothing: f32[0]
  user_input %token: i64[1]
  user_input %cache: f32[s0, 8]
  %x: f32[1, 8] = aten::embedding(weight=%words, indices=%token)
  %length: int(s0) = aten::sym_size.int(%cache, dim=0)
  %place: i64[1] = aten::arange(end=1)
  %at: i64[1] = aten::add.Tensor(%place, other=%length)
  %angle: f32[1] = aten::cos(%at)
  %q: f32[1, 8] = aten::linear(input=%x, weight=%wq)
  %rotated: f32[1, 8] = aten::mul.Tensor(%q, other=%angle)
  %k: f32[1, 8] = aten::linear(input=%x, weight=%wk)
  %held: f32[s0, 8] = aten::cat(tensors=[%nothing, %cache])
  %keys: f32[s0 + 1, 8] = aten::cat(tensors=[%held, %k])
  %across: f32[8, s0 + 1] = aten::t(%keys)
  %scores: f32[1, s0 + 1] = aten::mm(%rotated, mat2=%across)
  %scaled: f32[1, s0 + 1] = aten::div.Tensor(%scores, other=%length)
  %shares: f32[1, s0 + 1] = aten::softmax.int(%scaled, dim=-1)
  %seen: f32[1, 8] = aten::mm(%shares, mat2=%keys)
  %y: f32[1, 8] = aten::linear(input=%seen, weight=%wo)
  %gate: f32[1, 8] = aten::sigmoid(%y)
  %gated: f32[1, 8] = aten::mul.Tensor(%gate, other=%x)
  %z: f32[1, 8] = aten::linear(input=%gated, weight=%wq)
  return %z, %keys
}`;

/** Shapes that are equal at some sizes only, a broadcast at one, a slice that is empty at another; a result that only sizes change. */
const BROADCASTS = `program {
  range s0 = [1, 64]
  range s1 = [1, 64]
  user_input %x: f32[s0, 6]
  user_input %y: f32[s1, 1]
  %rows: int(s0) = aten::sym_size.int(%x, dim=0)
  %a: f32[s0, 6] = aten::relu(%x)
  %b: f32[s1, 1] = aten::exp(%y)
  %c: f32[s0, 6] = aten::expand(%y, size=[%rows, 6])
  %d: f32[s0, 6] = aten::add.Tensor(%a, other=%b)
  %e: f32[s0, 6] = aten::mul.Tensor(%d, other=%c)
  %tail: f32[s2, 6] = aten::slice.Tensor(%e, dim=0, start=3, end=64)
  %sum: f32[] = aten::sum(%tail)
  %mean: f32[6] = aten::mean.dim(%e, dim=[0])
  %f: f32[6] = aten::add.Tensor(%mean, other=%sum)
  %power: f32[6] = aten::pow.Tensor_Scalar(%f, exponent=%rows)
  %more: int(s0 + 1) = _operator::add(a=%rows, b=1)
  %filled: f32[s0 + 1, 2] = aten::full(size=[%more, 2], fill_value=0.5)
  return %e, %f, %power, %filled
}`;

/** A convolution whose results are clamped, pooled to one size, and go through a layer. */
const PICTURES = `program {
  range s0 = [3, 64]
  range s1 = [3, 64]
  parameter "kernel" = %k: f32[8, 4, 3, 3]
  parameter "head" = %w: f32[5, 8]
  user_input %x: f32[1, 4, s0, s1]
  %a: f32[1, 8, s0, s1] = aten::conv2d(input=%x, weight=%k, stride=[1, 1], padding=[1, 1], dilation=[1, 1], groups=1)
  %b: f32[1, 8, s0, s1] = aten::relu(%a)
  %c: f32[1, 8, 1, 1] = aten::adaptive_avg_pool2d(%b, output_size=[1, 1])
  %d: f32[1, 8] = aten::flatten.using_ints(%c, start_dim=1, end_dim=3)
  %e: f32[1, 5] = aten::linear(input=%d, weight=%w)
  %f: f32[1, 5] = aten::tanh(%e)
  return %f
}`;

/** A layer that attends to a cache of its own, whose result is the next layer's argument. */
function layer(i: number): string {
  return `
  %q${i}: f32[1, 8] = aten::linear(input=%x${i}, weight=%w${i})
  %k${i}: f32[s${i} + 1, 8] = aten::cat(tensors=[%c${i}, %q${i}])
  %t${i}: f32[8, s${i} + 1] = aten::permute(%k${i}, dims=[1, 0])
  %m${i}: f32[1, s${i} + 1] = aten::mm(%q${i}, mat2=%t${i})
  %n${i}: f32[1, s${i} + 1] = aten::relu(%m${i})
  %p${i}: f32[1, s${i} + 1] = aten::softmax.int(%n${i}, dim=-1)
  %o${i}: f32[1, 8] = aten::mm(%p${i}, mat2=%k${i})
  %x${i + 1}: f32[1, 8] = aten::add.Tensor(%x${i}, other=%o${i})
  %f${i}: f32[s${i}*8 + 8] = aten::flatten.using_ints(%t${i}, start_dim=0, end_dim=1)`;
}

/** Equal layers, whose caches may be of different lengths, and of none; what is returned is also transposed. */
const LAYERS = `program {
  range s0 = [0, 64]
  range s1 = [0, 64]
  range s2 = [0, 64]
  parameter "w0" = %w0: f32[8, 8]
  parameter "w1" = %w1: f32[8, 8]
  parameter "w2" = %w2: f32[8, 8]
  user_input %x0: f32[1, 8]
  user_input %c0: f32[s0, 8]
  user_input %c1: f32[s1, 8]
  user_input %c2: f32[s2, 8]
${[0, 1, 2].map(layer).join("")}
  return %x3, %k0, %k1, %k2, %t1, %f0, %f2
}`;

/**
 * A layer with weights of its own, among them a table of places: the rows that a text needs are a part of it, as they are and
 * doubled.
 */
function textLayer(i: number): string {
  return `
  %rows${i}: f32[s0, 8] = aten::slice.Tensor(%places${i}, dim=0, start=0, end=%length)
  %twice${i}: f32[s0, 8] = aten::mul.Tensor(%rows${i}, other=2)
  %h${i}: f32[s0, 8] = aten::linear(input=%x${i}, weight=%w${i})
  %g${i}: f32[s0, 8] = aten::add.Tensor(%h${i}, other=%rows${i})
  %s${i}: f32[s0, 8] = aten::sigmoid(%g${i})
  %m${i}: f32[s0, 8] = aten::mm(%s${i}, mat2=%w${i})
  %x${i + 1}: f32[s0, 8] = aten::mul.Tensor(%m${i}, other=%twice${i})`;
}

/** Equal layers, all of whose steps depend on the size. */
const TEXT = `program {
  range s0 = [1, 64]
${[0, 1, 2].map((i) => `  parameter "w${i}" = %w${i}: f32[8, 8]\n  parameter "places${i}" = %places${i}: f32[64, 8]`).join("\n")}
  user_input %x0: f32[s0, 8]
  %length: int(s0) = aten::sym_size.int(%x0, dim=0)
${[0, 1, 2].map(textLayer).join("")}
  return %x3, %g1, %twice2
}`;

/** Keys or values of a cache, each head of which serves two of queries: repeated in one layer, and shared in the other. */
const sharedHeads = (name: string): string => `
  %${name}n: f32[1, 3, s0 + 1, 4] = aten::cat(tensors=[%${name}, %${name}0], dim=2)
  %${name}u: f32[1, 3, 1, s0 + 1, 4] = aten::unsqueeze(%${name}n, dim=2)
  %${name}e: f32[1, 3, 2, s0 + 1, 4] = aten::expand(%${name}u, size=[1, 3, 2, -1, 4])
  %${name}r: f32[1, 6, s0 + 1, 4] = aten::reshape(%${name}e, shape=[1, 6, -1, 4])`;

const GROUPED = `program {
  range s0 = [0, 256]
  user_input %q: f32[1, 6, 1, 4]
  user_input %k: f32[1, 3, s0, 4]
  user_input %v: f32[1, 3, s0, 4]
  user_input %k0: f32[1, 3, 1, 4]
  user_input %v0: f32[1, 3, 1, 4]${sharedHeads("k")}${sharedHeads("v")}
  %x: f32[1, 6, 1, 4] = aten::scaled_dot_product_attention(query=%q, key=%kr, value=%vr)
  %y: f32[1, 6, 1, 4] = aten::scaled_dot_product_attention(query=%x, key=%kn, value=%vn, enable_gqa=true)
  return %y, %kn, %vn
}`;

/** A part whose size depends on data, after one whose size the caller chooses. */
const CHOSEN = `program {
  user_input %x: f32[s0]
  %a: f32[s0] = aten::neg(%x)
  %positive: bool[s0] = aten::gt.Scalar(%a, other=0)
  %picked: f32[u0] = aten::masked_select(%a, mask=%positive)
  %b: f32[u0] = aten::mul.Tensor(%picked, other=2)
  %sum: f32[] = aten::sum(%b)
  return %b, %sum
}`;

/** Numbers between -1 and 1 that differ from seed to seed. */
function waves(seed: number, ...shape: readonly number[]): HostTensor {
  const length = shape.reduce((count, size) => count * size, 1);
  return hostTensor(
    "float32",
    shape,
    Float32Array.from({ length }, (_, i) => Math.sin((seed + 1) * (i + 1))),
  );
}

const matrix = (name: string, ...shape: readonly number[]) => weightOf(name, someFloats(...shape));

/** Cases for executables whose sizes change from run to run. */
export const SIZES: readonly LifecycleCase[] = [
  {
    name: "sizes: a cache of any length",
    run: (tools) =>
      expectAsAlone(
        tools,
        DECODER,
        [matrix("query", 8, 8), matrix("key", 8, 8), matrix("out", 8, 8), matrix("words", 5, 8), matrix("nothing", 0)],
        [9, 4, 1, 17, 9].map((length) => [ints([1], 3), someFloats(length, 8)]),
      ),
  },
  {
    name: "sizes: shapes that are equal at some sizes",
    run: (tools) =>
      expectAsAlone(
        tools,
        BROADCASTS,
        [],
        [
          [5, 5],
          [7, 7],
          [5, 1],
          [1, 1],
          [7, 1],
          [2, 2],
          [5, 5],
        ].map(([rows, others]) => [someFloats(rows!, 6), someFloats(others!, 1)]),
      ),
  },
  {
    name: "sizes: layers with caches of their own",
    run: (tools) =>
      expectAsAlone(
        tools,
        LAYERS,
        ["w0", "w1", "w2"].map((name, i) => weightOf(name, waves(i, 8, 8))),
        [
          [7, 7, 7],
          [8, 8, 8],
          [3, 3, 3],
          [8, 3, 7],
          [40, 40, 40],
          [0, 0, 0],
          [1, 1, 1],
          [13, 13, 13],
          [7, 0, 7],
          [41, 41, 1],
          [8, 8, 8],
        ].map((lengths) => [waves(3, 1, 8), ...lengths.map((length, i) => waves(i + 4, length, 8))]),
      ),
  },
  {
    name: "sizes: layers that read parts of their own weights",
    run: (tools) =>
      expectAsAlone(
        tools,
        TEXT,
        [0, 1, 2].flatMap((i) => [weightOf(`w${i}`, waves(i, 8, 8)), weightOf(`places${i}`, waves(i + 3, 64, 8))]),
        [5, 6, 64, 1, 17, 5, 33].map((length) => [waves(6, length, 8)]),
      ),
  },
  {
    name: "sizes: a cache whose heads serve several of queries",
    run: (tools) =>
      expectAsAlone(
        tools,
        GROUPED,
        [],
        [5, 64, 6, 0, 67, 130, 5].map((length) => [
          waves(1, 1, 6, 1, 4),
          ...[2, 3].map((seed) => waves(seed, 1, 3, length, 4)),
          ...[4, 5].map((seed) => waves(seed, 1, 3, 1, 4)),
        ]),
      ),
  },
  {
    name: "sizes: pictures of any height and width",
    run: (tools) =>
      expectAsAlone(
        tools,
        PICTURES,
        [matrix("kernel", 8, 4, 3, 3), matrix("head", 5, 8)],
        [
          [8, 8],
          [5, 11],
          [33, 8],
          [8, 8],
        ].map(([height, width]) => [someFloats(1, 4, height!, width!)]),
      ),
  },
  {
    name: "sizes: of data, after those of the caller",
    needs: "dynamicSizes",
    run: (tools) =>
      expectAsAlone(
        tools,
        CHOSEN,
        [],
        [6, 20, 1, 6].map((length) => [someFloats(length)]),
      ),
  },
];

/** Throws unless an executable that runs all of these, one after the other, answers as one of its own for each. */
async function expectAsAlone(
  { compile }: LifecycleTools,
  text: string,
  weights: readonly ReturnType<typeof weightOf>[],
  runs: readonly (readonly HostTensor[])[],
): Promise<void> {
  const shared = await compile(text, weights);
  const alone = new Map<string, readonly Value[]>();
  for (const inputs of runs) {
    const key = inputs.map(({ shape }) => `[${shape}]`).join();
    const wanted = alone.get(key) ?? (await (await compile(text, weights)).run(inputs));
    alone.set(key, wanted);
    const got = await shared.run(inputs);
    expectThat(got.length === wanted.length, `${got.length} results, not ${wanted.length}`);
    for (const [i, value] of wanted.entries()) {
      const [a, b] = [await bytesOf(got[i]!), await bytesOf(value)];
      expectThat(a === b, `result ${i} for ${key} differs from that of an executable for this size alone`);
    }
  }
}

/** Returns shape and bytes of a tensor as a string. */
async function bytesOf(value: Value): Promise<string> {
  const { dtype, shape } = value as Tensor;
  const data = await (value as Tensor).read();
  const { buffer, byteOffset, byteLength } = hostTensor(dtype, shape, data).data as Float32Array;
  return `${dtype}[${shape}] ${new Uint8Array(buffer, byteOffset, byteLength).join()}`;
}
