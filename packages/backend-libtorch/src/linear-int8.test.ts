import { type HostTensor, hostTensor, type Tensor } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { libraries } from "@pt2/registry/aten";
import { randomFloats, randomUnit } from "@pt2/testing/random";
import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { describe, expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import type { OpArgs } from "./eager/op-args.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { elementsOf } from "./programs.test-helper.ts";
import { random } from "./random.test-helper.ts";

/** Some roundings of sums of 4096 products, in vectors of four at least. */
const CLOSE = 2e-6;

const next = randomUnit(4);

function integers(shape: readonly [number, number], most: number): HostTensor {
  const data = Int8Array.from({ length: shape[0] * shape[1] }, () => Math.floor(next() * 2 * most) - most);
  return hostTensor("int8", shape, data);
}

describeWithLibtorch("linear layers on int8", ({ addon }) => {
  const torch = new LibtorchBackend(addon);
  const one = (name: string, args: OpArgs): Tensor => torch.callSync(name as "aten::add", args)[0] as Tensor;
  const double = (self: Tensor): Tensor => one("aten::to.dtype", { self, dtype: "float64" });

  /** In float64: (weight - zero) scale, of groups. */
  function dequantized(weight: Tensor, scale: Tensor | null, zero: Tensor | null): Tensor {
    const [N, K] = weight.shape as readonly [number, number];
    const groups = (scale ?? zero)?.shape[1] ?? 1;
    const perGroup = (self: Tensor): Tensor => one("aten::reshape", { self: double(self), shape: [N, groups, 1] });
    let floats = one("aten::reshape", { self: double(weight), shape: [N, groups, K / groups] });
    if (zero !== null) floats = one("aten::sub.Tensor", { self: floats, other: perGroup(zero) });
    if (scale !== null) floats = one("aten::mul.Tensor", { self: floats, other: perGroup(scale) });
    return one("aten::reshape", { self: floats, shape: [N, K] });
  }

  /** The largest difference, of the largest element. */
  function errorOf(actual: Tensor, expected: Tensor): number {
    const [a, b] = [elementsOf(actual), elementsOf(expected)];
    const largest = Math.max(...b.map((value) => Math.abs(Number(value))));
    return worstError(a, b, ABSOLUTE) / Math.max(largest, 1);
  }

  describe.each([
    // rows of the weight, columns, groups
    [1, 1, 1],
    [37, 96, 1],
    [37, 96, 3],
    [70, 97, 1],
    [33, 120, 5],
    [40, 2100, 1],
    [9, 4128, 2],
    [64, 4096, 128],
  ] as const)("[%i, %i] in %i groups", (N, K, groups) => {
    it.each([0, 1, 2, 5, 7, 13, 40])("%i rows", (M) => {
      const weight = integers([N, K], 128);
      const [x, bias] = [random([M, K], 2), random([N], 3)];
      const [scales, zeros] = [random([N, groups], 4), integers([N, groups], 8)];
      const floats = one("aten::to.dtype", { self: zeros, dtype: "float32" });
      for (const [scale, zero_point, b] of [
        [scales, floats, bias],
        [scales, null, null],
        [null, floats, null],
        [null, null, bias],
      ] as const) {
        const actual = one("pt2::linear_int8", { input: x, weight, scale, zero_point, bias: b });
        const weights = dequantized(weight, scale, zero_point);
        const expected = one("aten::linear", { input: double(x), weight: weights, bias: b && double(b) });
        expect(actual.shape).toEqual([M, N]);
        expect(errorOf(actual, expected)).toBeLessThan(CLOSE);
      }
    });
  });

  it("reads weights, inputs and scales that are not contiguous", () => {
    const weight = one("aten::t", { self: integers([24, 10], 128) });
    const x = one("aten::t", { self: random([24, 3], 2) });
    const scale = one("aten::slice.Tensor", { self: random([10, 2], 3), dim: 1, start: 1, end: 2, step: 1 });
    const actual = one("pt2::linear_int8", { input: x, weight, scale, zero_point: null, bias: null });
    const expected = one("aten::linear", { input: double(x), weight: dequantized(weight, scale, null), bias: null });
    expect(errorOf(actual, expected)).toBeLessThan(CLOSE);
  });

  it.each([
    ["a weight of another dtype", { weight: random([3, 4]) }, "weight must be a strided int8 matrix"],
    ["a weight that is no matrix", { weight: hostTensor("int8", [4], new Int8Array(4)) }, "weight must be"],
    ["a weight of other columns", { weight: integers([3, 5], 8) }, "the last dimension of input"],
    ["scales for other rows", { scale: random([2, 1]) }, "scale must have a number for each of 3 rows"],
    ["groups that do not divide columns", { scale: random([3, 3]) }, "each of some groups of 4 columns"],
    ["zero points of other groups", { zero_point: random([3, 2]) }, "as many numbers"],
    ["a bias for other rows", { bias: random([4]) }, "bias must have shape [3]"],
  ])("refuses %s", (_, changed, message) => {
    const args = { input: random([2, 4]), weight: integers([3, 4], 8), scale: random([3, 1]), zero_point: null };
    expect(() => one("pt2::linear_int8", { ...args, bias: null, ...changed })).toThrow(message);
  });

  it("gives zero points where there are any", () => {
    const pack = (zero_point: Tensor): Tensor => one("pt2::pack_zero_points", { zero_point });
    expect(pack(hostTensor("int8", [2, 2], new Int8Array(4))).shape).toEqual([0]);
    expect(elementsOf(pack(hostTensor("int8", [2, 2], Int8Array.of(0, 0, -3, 0))))).toEqual([0, 0, -3, 0]);
  });

  it("keeps the weight of a program that dequantizes it", async () => {
    const [N, K, group] = [64, 4096, 32];
    const program = programOf(`
  parameter "w" = %w: i8[${N}, ${K}]
  parameter "s" = %s: f32[${N}, ${K / group}]
  parameter "z" = %z: i8[${N}, ${K / group}]
  user_input %x: f32[s0, ${K}]
  %d: f32[${N}, ${K}] = torchao::dequantize_affine(input=%w, block_size=[1, ${group}], scale=%s, zero_point=%z, input_dtype=torch.int8)
  %y: f32[s0, ${N}] = aten::linear(input=%x, weight=%d)
  return %y`);
    const scale = hostTensor("float32", [N, K / group], randomFloats(next, (N * K) / group));
    for (const z of [integers([N, K / group], 8), hostTensor("int8", [N, K / group], new Int8Array((N * K) / group))]) {
      const weights = weightsOf({ w: integers([N, K], 8), s: scale, z });
      const from = { program, weights, registry: registryOf([], libraries) };
      const fast = await torch.compile({ ...from, precision: "fast" });
      const exact = await torch.compile({ ...from, precision: "exact" });
      for (const rows of [1, 0, 13]) {
        const [[actual], [expected]] = [await fast.run([random([rows, K])]), await exact.run([random([rows, K])])];
        expect(errorOf(actual as Tensor, expected as Tensor)).toBeLessThan(CLOSE);
      }
      expect((await fast.memory!()).weights).toBeLessThan(1.4 * N * K);
      expect(await fast.explain()).toContain("1 × pt2::linear_int8");
      await Promise.all([fast.dispose(), exact.dispose()]);
    }
  });
});
