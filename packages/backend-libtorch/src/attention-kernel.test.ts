import { hostTensor, type Tensor } from "@pt2/backend";
import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { describe, expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import type { OpArgs } from "./eager/op-args.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { elementsOf } from "./programs.test-helper.ts";
import { random } from "./random.test-helper.ts";

/** Results are below 2: this is 160 roundings, for approximations of `exp` and sums of some hundred terms. */
const TOLERANCE = 2e-5;

describeWithLibtorch("pt2::attention, against ATen's ops", ({ addon }) => {
  const torch = new LibtorchBackend(addon);
  const one = (name: string, args: OpArgs): Tensor => torch.callSync(name as "aten::add", args)[0] as Tensor;

  function expectClose(actual: Tensor, expected: Tensor): void {
    expect(actual.shape).toEqual(expected.shape);
    expect(worstError(elementsOf(actual), elementsOf(expected), ABSOLUTE)).toBeLessThan(TOLERANCE);
  }

  it.each([
    [49, 49, 32, false],
    [31, 50, 40, false],
    [64, 64, 16, true],
    [1, 33, 5, false],
    [2, 67, 130, false],
    [5, 1, 64, true],
    [8, 31, 17, true],
  ])("attention of %i to %i, width %i, causal %s", (rows, keys, width, causal) => {
    const [q, k, v] = [random([2, 3, rows, width]), random([2, 3, keys, width], 2), random([2, 3, keys, width], 3)];
    for (const mask of causal ? [null] : [null, random([rows, keys], 4), random([2, 1, 1, keys], 5)]) {
      const expected = one("aten::scaled_dot_product_attention", [q, k, v, mask, 0, causal]);
      expectClose(
        one("pt2::attention", { q, k, v, mask, is_causal: causal, scale: null, safe_softmax: true, mask_fills: false }),
        expected,
      );
    }
    const seen = one("aten::gt.Scalar", [random([rows, keys], 6), -0.5]);
    if (causal) return;
    const expected = one("aten::scaled_dot_product_attention", [q, k, v, seen]);
    expectClose(
      one("pt2::attention", {
        q,
        k,
        v,
        mask: seen,
        is_causal: false,
        scale: null,
        safe_softmax: true,
        mask_fills: false,
      }),
      expected,
    );
  });

  it.each([
    [1, 6, 2, 20],
    [1, 7, 1, 64],
    [1, 4, 4, 3],
    [3, 6, 3, 33],
    [9, 8, 2, 16],
  ])("attention of %i queries, %i heads of which share %i of keys, width %i", (rows, heads, shared, width) => {
    const q = one("aten::transpose.int", [random([2, rows, heads, width]), 1, 2]);
    const [k, v] = [random([2, shared, 37, width], 2), random([2, shared, 37, width + 1], 3)];
    for (const mask of [null, random([heads, rows, 37], 4), random([2, 1, 1, 37], 5)]) {
      const expected = one("aten::scaled_dot_product_attention", [q, k, v, mask, 0, false, 0.3, true]);
      expectClose(
        one("pt2::attention", { q, k, v, mask, is_causal: false, scale: 0.3, safe_softmax: true, mask_fills: false }),
        expected,
      );
    }
    const causal = one("aten::scaled_dot_product_attention", [q, k, v, null, 0, true, null, true]);
    expectClose(
      one("pt2::attention", {
        q,
        k,
        v,
        mask: null,
        is_causal: true,
        scale: null,
        safe_softmax: true,
        mask_fills: false,
      }),
      causal,
    );
  });

  it.each([3, 33])("attention of %i queries, one of which sees no key", (rows) => {
    const [q, k, v] = [random([2, 3, rows, 8]), random([2, 3, 7, 8], 2), random([2, 3, 7, 8], 3)];
    const first = Float32Array.from({ length: rows * 7 }, (_, i) => (i < 7 ? -Infinity : i / 7));
    const mask = hostTensor("float32", [rows, 7], first);
    const args = { q, k, v, mask, is_causal: false, scale: 1 };
    const safe = one("aten::scaled_dot_product_attention", [q, k, v, mask, 0, false, 1]);
    expectClose(one("pt2::attention", { ...args, safe_softmax: true, mask_fills: false }), safe);
    const scores = one("aten::matmul", [q, one("aten::transpose.int", [k, 2, 3])]);
    const weights = one("aten::softmax.int", [one("aten::add.Tensor", [scores, mask]), -1]);
    expectClose(
      one("pt2::attention", { ...args, safe_softmax: false, mask_fills: false }),
      one("aten::matmul", [weights, v]),
    );
  });

  it.each([3, 33])("attention of %i queries, of which a mask fills scores that are NaN", (rows) => {
    const [q, v] = [random([1, 2, rows, 8]), random([1, 2, 7, 8], 3)];
    const numbers = Float32Array.from({ length: 2 * 7 * 8 }, (_, i) => (Math.floor(i / 8) % 7 === 3 ? NaN : i % 5));
    const k = hostTensor("float32", [1, 2, 7, 8], numbers);
    const where = Float32Array.from({ length: rows * 7 }, (_, i) => (i % 7 === 3 ? -Infinity : 0));
    const mask = hostTensor("float32", [rows, 7], where);
    const args = { q, k, v, mask, is_causal: false, scale: 1, safe_softmax: false };
    const scores = one("aten::matmul", [q, one("aten::transpose.int", [k, 2, 3])]);
    const attend = (masked: Tensor): Tensor => one("aten::matmul", [one("aten::softmax.int", [masked, -1]), v]);
    const filled = one("aten::masked_fill.Scalar", [scores, one("aten::lt.Scalar", [mask, 0]), -Infinity]);
    expectClose(one("pt2::attention", { ...args, mask_fills: true }), attend(filled));
    const added = one("aten::add.Tensor", [scores, mask]);
    expectClose(one("pt2::attention", { ...args, mask_fills: false }), attend(added));
  });

  describe.each(["float16", "bfloat16"])("keys and values in %s", (dtype) => {
    const to = (self: Tensor, other: string): Tensor => one("aten::to.dtype", { self, dtype: other });
    const options = { mask: null, scale: null, safe_softmax: true, mask_fills: false };

    it.each([
      // queries, keys, heads, those of keys, width, that of values
      [1, 37, 6, 2, 64, 64],
      [1, 1, 3, 3, 1, 1],
      [2, 70, 4, 4, 17, 33],
      [5, 129, 4, 2, 20, 130],
      [33, 50, 4, 2, 40, 24],
      [64, 64, 3, 3, 16, 19],
    ] as const)("gives what they give in float32: %j", (rows, keys, heads, shared, width, valueWidth) => {
      const q = random([2, heads, rows, width]);
      const k = to(random([2, shared, keys, width], 2), dtype);
      // Rows that lie apart, and begin anywhere.
      const wide = to(random([2, keys, shared, valueWidth + 1], 3), dtype);
      const v = one("aten::transpose.int", [one("aten::slice.Tensor", [wide, 3, 1]), 1, 2]);
      for (const is_causal of [false, true]) {
        const actual = one("pt2::attention", { q, k, v, is_causal, ...options });
        const floats = { k: to(k, "float32"), v: to(v, "float32") };
        expect(elementsOf(actual)).toEqual(elementsOf(one("pt2::attention", { q, ...floats, is_causal, ...options })));
      }
    });

    it("are read as what they are, and both of one dtype", () => {
      const x = random([1, 2, 3, 4]);
      const other = dtype === "float16" ? "bfloat16" : "float16";
      for (const [q, k, v] of [
        [x, to(x, dtype), x],
        [x, to(x, dtype), to(x, other)],
        [x, to(x, "float64"), to(x, "float64")],
      ] as const) {
        expect(() => one("pt2::attention", { q, k, v, is_causal: false, ...options })).toThrow("k and v must be");
      }
      const q = to(x, dtype);
      expect(() => one("pt2::attention", { q, k: x, v: x, is_causal: false, ...options })).toThrow("q must be");
    });
  });
});
