import { type HostTensor, hostTensor, type Tensor } from "@pt2/backend";
import { programOf, registryOf, someFloats, weightsOf } from "@pt2/conformance";
import { expect, test } from "vitest";
import { WasmBackend } from "../backend.ts";

/** Compiles the lines of a program. */
const compiled = (backend: WasmBackend, text: string, weights: Readonly<Record<string, HostTensor>>) =>
  backend.compile({ program: programOf(text), weights: weightsOf(weights), registry: registryOf() });

const STEP = `
  parameter "w" = %w: f32[8, 8]
  user_input %x: f32[1, 8]
  user_input %cache: f32[s0, 8]
  %length: int(s0) = aten::sym_size.int(%cache, dim=0)
  %places: i64[s0] = aten::arange(end=%length)
  %angles: f32[s0] = aten::cos(%places)
  %column: f32[s0, 1] = aten::unsqueeze(%angles, dim=1)
  %scaled: f32[s0, 8] = aten::mul.Tensor(%cache, other=%column)
  %new: f32[1, 8] = aten::linear(input=%x, weight=%w)
  %keys: f32[s0 + 1, 8] = aten::cat(tensors=[%scaled, %new])
  %mean: f32[1, 8] = aten::mean.dim(%keys, dim=[0], keepdim=true)
  %y: f32[1, 8] = aten::linear(input=%mean, weight=%w)
  return %y, %keys`;

test("memory and plans stay bounded however many sizes a program runs with", async () => {
  const backend = new WasmBackend();
  const executable = await compiled(backend, STEP, { w: someFloats(8, 8) });
  const after = async (lengths: readonly number[]) => {
    for (const length of lengths) await executable.run([someFloats(1, 8), someFloats(length, 8)]);
    return await executable.memory();
  };
  const lengths = Array.from({ length: 60 }, (_, i) => 100 - i);
  const first = await after(lengths.slice(0, 20));
  const last = await after(lengths);
  expect(last.activations).toBe(first.activations);
  // Constants of a size live as long as its plan.
  expect(last.weights).toBeLessThanOrEqual(first.weights);
  const plans = (await executable.explain()).split("# ").length - 1;
  expect(plans).toBe(16);
  await backend.dispose();
});

test("memory is laid out anew for each doubling of a size, not for each growth of a buffer", async () => {
  const backend = new WasmBackend();
  const executable = await compiled(backend, STEP, { w: someFloats(8, 8) });
  const layouts = new Set<number>();
  for (let length = 4; length <= 256; length++) {
    await executable.run([someFloats(1, 8), someFloats(length, 8)]);
    layouts.add((await executable.memory()).activations);
  }
  // 4 and those of 5, 11, 23, 47, 95 and 191, each with room for twice as many.
  expect(layouts.size).toBe(7);
  await backend.dispose();
});

/** What the programs below take. */
const GIVEN = `
  range s0 = [0, 200]
  range s1 = [0, 200]
  parameter "w" = %w: f32[6, 6]
  parameter "v" = %v: f32[6, 6]
  user_input %x: f32[s0, 6]
  user_input %y: f32[s1, 6]
  user_input %row: f32[s2, 6]
  %length: int(s0) = aten::sym_size.int(%x, dim=0)`;

/** Two equal blocks, each with a residual and a size of its own, between a broadcast, a check and a transposed copy. */
const BLOCKS = `${GIVEN}
  %is: bool = _operator::ge(a=%length, b=0)
  check: aten::_assert_scalar(%is, assert_msg="negative")
  %a: f32[s0, 6] = aten::linear(input=%x, weight=%w)
  %b: f32[s1, 6] = aten::linear(input=%y, weight=%v)
  %c: f32[s0, 6] = aten::mul.Tensor(%a, other=%a)
  %d: f32[s1, 6] = aten::mul.Tensor(%b, other=%y)
  %e: f32[s0, 6] = aten::add.Tensor(%c, other=%x)
  %f: f32[s1, 6] = aten::add.Tensor(%d, other=%y)
  %g: f32[s0, 6] = aten::sub.Tensor(%e, other=%row)
  %h: f32[s0 + s1, 6] = aten::cat(tensors=[%g, %f])
  %i: f32[6, s0 + s1] = aten::permute(%h, dims=[1, 0])
  %j: f32[6*s0 + 6*s1] = aten::flatten.using_ints(%i, start_dim=0, end_dim=1)
  %k: f32[6, s0] = aten::permute(%e, dims=[1, 0])
  %l: f32[6*s0] = aten::flatten.using_ints(%k, start_dim=0, end_dim=1)
  %m: f32[6, s1] = aten::permute(%f, dims=[1, 0])
  %n: f32[6*s1] = aten::flatten.using_ints(%m, start_dim=0, end_dim=1)
  %o: f32[6*s0] = aten::div.Tensor(%l, other=%length)
  return %j, %o, %n, %k`;

/** Constants of equal types that a size spreads: what are views for one row are copies for more. */
const SPREAD = `${GIVEN}
  %a: f32[6*s0, 6] = aten::repeat(%w, repeats=[%length, 1])
  %b: f32[6*s0, 6] = aten::repeat(%v, repeats=[%length, 1])
  %c: f32[s0, 6, 6] = aten::expand(%w, size=[%length, 6, 6])
  %d: f32[s0, 6, 6] = aten::expand(%v, size=[%length, 6, 6])
  %e: f32[6*s0, 6] = aten::flatten.using_ints(%c, start_dim=0, end_dim=1)
  %f: f32[6*s0, 6] = aten::flatten.using_ints(%d, start_dim=0, end_dim=1)
  %g: f32[6, s0, 6] = aten::permute(%c, dims=[2, 0, 1])
  %h: f32[6, s0, 6] = aten::permute(%d, dims=[2, 0, 1])
  %i: f32[6*s0, 6] = aten::mul.Tensor(%e, other=%b)
  %j: f32[6*s0, 6] = aten::mul.Tensor(%f, other=%a)
  %k: f32[s0, 6, 6] = aten::mul.Tensor(%c, other=%c)
  %l: f32[s0, 6, 6] = aten::mul.Tensor(%d, other=%d)
  %m: f32[s0, 6, 6] = aten::sub.Tensor(%k, other=%length)
  %n: f32[s0, 6, 6] = aten::sub.Tensor(%l, other=%length)
  return %a, %b, %g, %h, %i, %j, %m, %n`;

test.each([
  ["equal blocks", BLOCKS],
  ["constants", SPREAD],
])(
  "30 sizes in any order, none and equal ones among them, give the bytes of one executable each: %s",
  async (_, text) => {
    const backend = new WasmBackend();
    const waves = (seed: number, ...shape: readonly number[]): HostTensor => {
      const length = shape.reduce((count, size) => count * size, 1);
      return hostTensor(
        "float32",
        shape,
        Float32Array.from({ length }, (_, i) => Math.sin((seed + 1) * (i + 1))),
      );
    };
    const make = () => compiled(backend, text, { w: waves(1, 6, 6), v: waves(2, 6, 6) });
    const bytesOf = async (values: readonly unknown[]): Promise<readonly unknown[]> =>
      await Promise.all((values as readonly Tensor[]).map(async (value) => [value.shape, await value.read()]));
    let state = 7;
    const upTo = (limit: number): number => {
      state = (state * 48271) % 2147483647;
      return state % limit;
    };
    const shared = await make();
    for (let call = 0; call < 30; call++) {
      const [rows, others] = [upTo(4) === 0 ? upTo(3) : upTo(101), upTo(3) === 0 ? upTo(2) : upTo(67)];
      const second = upTo(3) === 0 ? rows : others;
      const inputs = [waves(3, rows, 6), waves(4, second, 6), waves(5, upTo(2) === 0 ? 1 : rows, 6)];
      const alone = await make();
      const wanted = await bytesOf(await alone.run(inputs));
      expect(await bytesOf(await shared.run(inputs)), `${rows} and ${second} rows`).toEqual(wanted);
      await alone.dispose();
    }
    await backend.dispose();
  },
);
