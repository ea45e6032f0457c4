import { type HostTensor, hostTensor, type Tensor } from "@pt2/backend";
import { RELATIVE, worstError } from "@pt2/testing/worst-error";
import { describe, expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import type { OpArgs } from "./eager/op-args.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { compileBody, elementsOf } from "./programs.test-helper.ts";
import { random } from "./random.test-helper.ts";

/** Some roundings of results, and of sums of squares. Means are taken off before, and cost no digits. */
const CLOSE = 1e-6;

describeWithLibtorch("group_norm of images with their channels last", ({ addon }) => {
  const torch = new LibtorchBackend(addon);
  const one = (name: string, args: OpArgs): Tensor => torch.callSync(name as "aten::add", args)[0] as Tensor;
  const last = (self: Tensor): Tensor =>
    self.shape.length === 4 ? one("aten::contiguous", { self, memory_format: "channels_last" }) : self;
  const double = (self: Tensor | null): Tensor | null => self && one("aten::to.dtype", { self, dtype: "float64" });

  function expectClose(x: Tensor, groups: number, weight: Tensor | null, bias: Tensor | null, eps = 1e-5): void {
    const actual = one("pt2::group_norm", { x: last(x), groups, weight, bias, eps });
    const [input, scale, shift] = [double(x), double(weight), double(bias)];
    const expected = one("aten::group_norm", { input, num_groups: groups, weight: scale, bias: shift, eps });
    expect(actual.shape).toEqual(expected.shape);
    const error = worstError(elementsOf(actual), elementsOf(expected), RELATIVE);
    expect(error, `${x.shape} in ${groups} groups`).toBeLessThan(CLOSE);
  }

  /** Random numbers, each changed by where it is. */
  const changed = (shape: readonly number[], change: (x: number, i: number) => number): HostTensor =>
    hostTensor("float32", shape, (random(shape).data as Float32Array).map(change));

  const divisors = (channels: number): readonly number[] =>
    Array.from({ length: channels }, (_, i) => i + 1).filter((groups) => channels % groups === 0);

  describe.each(Array.from({ length: 37 }, (_, i) => i + 1))("%i channels", (channels) => {
    it.each([
      [1, 1],
      [2, 3],
      [7, 1],
      [33, 29],
    ])("%i × %i", (height, width) => {
      const [weight, bias] = [random([channels], 2), random([channels], 3)];
      for (const groups of divisors(channels)) {
        // Of one element nothing is left but what rounding left.
        const eps = height * width === 1 ? 0.5 : 1e-5;
        for (const batch of height === 33 ? [2] : [0, 1, 2, 3])
          expectClose(random([batch, channels, height, width]), groups, weight, bias, eps);
        const x = random([1, channels, height, width], 4);
        for (const [w, b] of [
          [null, null],
          [weight, null],
          [null, bias],
        ] as const)
          expectClose(x, groups, w, b, eps);
      }
    });
  });

  it.each([
    [1, 64, 56, 56, 32],
    [2, 320, 16, 16, 32],
    [1, 1030, 5, 5, 103],
    [3, 3, 111, 97, 1],
  ])("%i × %i channels at %i × %i, %i groups", (batch, channels, height, width, groups) => {
    expectClose(random([batch, channels, height, width]), groups, random([channels], 2), random([channels], 3));
  });

  it("sequences are images of one row", () => {
    expectClose(random([2, 24, 301]), 4, random([24], 2), random([24], 3));
    expectClose(one("aten::transpose.int", [random([2, 301, 24]), 1, 2]), 6, null, null);
  });

  it.each([
    [1e3, 1],
    [-1e3, 1e-2],
    [1e5, 1],
  ])("a mean of %d and deviations of %d lose no digits", (mean, deviation) => {
    const shape = [2, 20, 33, 29];
    const x = one("aten::add.Scalar", { self: random(shape, 1, deviation), other: { float: mean } });
    for (const groups of [1, 4, 20]) expectClose(x, groups, random([20], 2), random([20], 3), 1e-12);
  });

  it("channels of a group that differ much lose no digits, and an element far off costs none", () => {
    const shape = [1, 8, 33, 29];
    const apart = changed(shape, (x, i) => x + 500 * (Math.floor(i / 957) % 4));
    expectClose(apart, 2, null, null);
    const spiked = changed(shape, (x, i) => (i % 957 === 0 ? 1e4 : x));
    expectClose(spiked, 8, null, null);
  });

  it("elements that are all the same become the bias", () => {
    const x = hostTensor("float32", [1, 6, 19, 23], new Float32Array(6 * 437).fill(0.1));
    const args = { x: last(x), groups: 3, weight: random([6], 2), eps: 1e-5 };
    const bias = random([6], 3);
    const result = elementsOf(one("pt2::group_norm", { ...args, bias }));
    expect(result.every((element, i) => element === bias.data[Math.floor(i / 437)])).toBe(true);
  });

  it("NaN and infinities make their own group NaN", () => {
    for (const special of [Number.NaN, Infinity]) {
      const x = changed([1, 6, 3, 3], (element, i) => (i === 20 ? special : element));
      const args = { x: last(x), groups: 3, weight: null, bias: null };
      const result = elementsOf(one("pt2::group_norm", { ...args, eps: 1e-5 }));
      expect(result.map((x) => Number.isNaN(x))).toEqual(result.map((_, i) => Math.floor(i / 18) === 1));
    }
  });

  it("a convolution with a large bias before it costs no digits in fast programs", async () => {
    const body = `
      parameter "w" = %w: f32[32, 16, 1, 1]
      parameter "b" = %b: f32[32]
      user_input %x: f32[2, 16, 56, 56]
      %c: f32[2, 32, 56, 56] = aten::conv2d(input=%x, weight=%w, bias=%b)
      %y: f32[2, 32, 56, 56] = aten::group_norm(input=%c, num_groups=32)
      return %y`;
    const bias = hostTensor("float32", [32], new Float32Array(32).fill(40));
    const run = async (precision: "exact" | "fast"): Promise<readonly number[]> => {
      const weights = { w: random([32, 16, 1, 1], 2, 0.1), b: bias };
      const executable = await compileBody(torch, body, weights, { precision });
      const [result] = await executable.run([random([2, 16, 56, 56])]);
      await executable.dispose();
      return Array.from(await (result as HostTensor).read(), Number);
    };
    // Sums of about 40 are rounded by 2e-6, and deviations are a tenth.
    expect(worstError(await run("fast"), await run("exact"), RELATIVE)).toBeLessThan(1e-4);
  });

  it("what does not fit is refused before memory is read", () => {
    const args = { x: random([1, 6, 5, 5]), groups: 3, weight: null, bias: null, eps: 1e-5 };
    const call = (changed: OpArgs): unknown => one("pt2::group_norm", { ...args, ...changed });
    for (const groups of [0, -1, 4, 12]) expect(() => call({ groups })).toThrow("groups must divide the channels");
    expect(() => call({ x: random([6, 5]) })).toThrow("three or four dimensions");
    expect(() => call({ x: double(args.x)! })).toThrow("x must be a strided float32 tensor");
    expect(() => call({ weight: random([5]) })).toThrow("weight must have shape [6]");
    expect(() => call({ bias: random([6, 1]) })).toThrow("bias must have shape [6]");
    expect(() => call({ weight: double(random([6]))! })).toThrow("weight must be a strided float32 tensor");
    expect((call({ x: random([0, 6, 5, 5]) }) as Tensor).shape).toEqual([0, 6, 5, 5]);
    expect((call({ x: random([2, 6, 0, 5]) }) as Tensor).shape).toEqual([2, 6, 0, 5]);
    expect((call({ x: random([2, 0, 5, 5]) }) as Tensor).shape).toEqual([2, 0, 5, 5]);
  });
});
