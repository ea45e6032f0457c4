import { type HostTensor, hostTensor, type Tensor } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { libraries } from "@pt2/registry/aten";
import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { describe, expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import type { OpArgs } from "./eager/op-args.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { elementsOf } from "./programs.test-helper.ts";
import { random } from "./random.test-helper.ts";

/** Some roundings of sums of 4096 products, in vectors of four at least; and of numbers that processors round to bfloat16. */
const [CLOSE, ROUNDED] = [2e-6, 1e-2];

describeWithLibtorch("linear layers on half precision", ({ addon }) => {
  const torch = new LibtorchBackend(addon);
  const one = (name: string, args: OpArgs): Tensor => torch.callSync(name as "aten::add", args)[0] as Tensor;
  const to = (self: Tensor, dtype: string): Tensor => one("aten::to.dtype", { self, dtype });
  const half = (shape: readonly number[], dtype: string, seed: number): HostTensor =>
    to(random(shape, seed), dtype) as HostTensor;

  /** The largest difference from the layer in float64, of the largest element. */
  function errorOf(
    actual: Tensor,
    { input, weight, bias }: { input: Tensor; weight: Tensor; bias: Tensor | null },
  ): number {
    const args = { input: to(input, "float64"), weight: to(weight, "float64"), bias: bias && to(bias, "float64") };
    const [a, b] = [elementsOf(actual), elementsOf(one("aten::linear", args))];
    return worstError(a, b, ABSOLUTE) / Math.max(1, ...b.map((value) => Math.abs(Number(value))));
  }

  describe.each(["float16", "bfloat16"])("%s", (dtype) => {
    describe.each([
      // rows of the weight, columns
      [1, 1],
      [37, 96],
      [70, 97],
      [40, 2100],
      [9, 4129],
    ] as const)("[%i, %i]", (N, K) => {
      it.each([0, 1, 2, 5, 7, 13, 40])("%i rows", (M) => {
        const [input, weight] = [random([M, K], 2), half([N, K], dtype, 1)];
        const isRounded = dtype === "bfloat16" && M >= 16 && addon.info().multipliesBfloat16;
        for (const bias of [random([N], 3), null]) {
          for (const round_input of [false, true]) {
            const actual = one("pt2::linear_half", { input, weight, bias, round_input });
            expect(actual.shape).toEqual([M, N]);
            expect(errorOf(actual, { input, weight, bias })).toBeLessThan(round_input && isRounded ? ROUNDED : CLOSE);
          }
        }
      });
    });

    it("reads weights and inputs that are not contiguous", () => {
      const weight = one("aten::t", { self: half([24, 10], dtype, 1) });
      const input = one("aten::t", { self: random([24, 3], 2) });
      const actual = one("pt2::linear_half", { input, weight, bias: null });
      expect(errorOf(actual, { input, weight, bias: null })).toBeLessThan(CLOSE);
    });

    it("reads every number of the dtype, of any row", () => {
      const bits = Uint16Array.from({ length: 65536 }, (_, i) => i);
      const weight = hostTensor(dtype as "float16", [65536 / 8, 8], bits);
      const numbers = elementsOf(to(weight, "float32"));
      for (const column of [0, 7]) {
        const input = hostTensor(
          "float32",
          [1, 8],
          Float32Array.from({ length: 8 }, (_, i) => (i === column ? 1 : 0)),
        );
        const actual = elementsOf(one("pt2::linear_half", { input, weight, bias: null }));
        for (const [row, value] of actual.entries()) {
          const others = numbers.slice(row * 8, row * 8 + 8);
          // Zero times infinity is NaN.
          const areFinite = others.every((other) => Number.isFinite(other));
          if (areFinite) expect(value).toBe(Number(others[column]) + 0);
          else expect(Number.isFinite(value)).toBe(false);
        }
      }
    });
  });

  it.each([
    ["a weight of another dtype", { weight: random([3, 4]) }, "weight must be a strided float16 or bfloat16 matrix"],
    ["a weight that is no matrix", { weight: half([4], "float16", 1) }, "weight must be"],
    ["a weight of other columns", { weight: half([3, 5], "float16", 1) }, "the last dimension of input"],
    ["a weight of no columns", { input: random([2, 0]), weight: half([3, 0], "float16", 1) }, "the last dimension"],
    ["an input in half precision", { input: half([2, 4], "float16", 1) }, "input must be a strided float32 tensor"],
    ["a bias for other rows", { bias: random([4]) }, "bias must have shape [3]"],
  ])("refuses %s", (_, changed, message) => {
    const args = { input: random([2, 4]), weight: half([3, 4], "float16", 1), bias: null };
    expect(() => one("pt2::linear_half", { ...args, ...changed })).toThrow(message);
  });

  it.each(["f16", "bf16"] as const)("keeps the weight of a program in %s, transposed or not", async (short) => {
    const [N, K, dtype, itemsize] = [64, 1031, short === "f16" ? "float16" : "bfloat16", 2];
    const program = programOf(`
  parameter "w" = %w: ${short}[${N}, ${K}]
  parameter "v" = %v: ${short}[${N}, ${K}]
  parameter "b" = %b: ${short}[${K}]
  user_input %x: ${short}[s0, ${K}]
  %y: ${short}[s0, ${N}] = aten::linear(input=%x, weight=%w)
  %r: ${short}[s0, ${N}] = aten::relu(%y)
  %z: ${short}[s0, ${K}] = aten::addmm(%b, mat1=%r, mat2=%v)
  return %z`);
    const [w, v, b] = [half([N, K], dtype, 1), half([N, K], dtype, 2), half([K], dtype, 3)];
    const from = { program, weights: weightsOf({ w, v, b }), registry: registryOf([], libraries) };
    const fast = await torch.compile({ ...from, precision: "fast" });
    for (const rows of [1, 0, 13, 40]) {
      const x = half([rows, K], dtype, 4);
      const [actual] = await fast.run([x]);
      const [wide, matrix] = [to(x, "float64"), to(v, "float64")];
      const hidden = one("aten::relu", { self: one("aten::linear", { input: wide, weight: to(w, "float64") }) });
      const expected = one("aten::addmm", { self: to(b, "float64"), mat1: hidden, mat2: matrix });
      expect((actual as Tensor).dtype).toBe(dtype);
      const largest = Math.max(1, ...elementsOf(expected).map((value) => Math.abs(Number(value))));
      const error = worstError(elementsOf(actual as Tensor), elementsOf(expected), ABSOLUTE) / largest;
      expect(error).toBeLessThan(dtype === "float16" ? 1e-3 : 1e-2);
    }
    expect(await fast.explain()).toContain("2 × pt2::linear_half");
    expect((await fast.memory!()).weights).toBeLessThan(1.1 * (2 * N * K + K) * itemsize);
    await fast.dispose();
  });
});
