import type { Backend } from "@pt2/backend";
import { checkOp, type OpSample, someFloats } from "@pt2/conformance";
import type { DType } from "@pt2/format";
import { defineOp, type TensorMeta } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { scalar as s } from "@pt2/registry/scalar";
import { afterAll, describe, expect, it } from "vitest";
import { testedBackends } from "./backends.ts";

const backends: readonly Backend[] = await Promise.all(
  (await testedBackends())
    .filter(({ missing, precision }) => missing === null && precision !== "exact")
    .map((each) => each.create()),
);
afterAll(async () => {
  await Promise.all(backends.map((backend) => backend.dispose()));
});

const x = someFloats(5, 7);

/** Ops of PyTorch, which libtorch computes itself. */
const OPS: readonly (readonly [op: string, sample: OpSample, dtypes?: readonly DType[]])[] = [
  // PyTorch refuses bool, which backends that lower compute.
  ["aten::relu", { self: x }, ["float32", "float64", "float16", "bfloat16", "int64"]],
  ["aten::add.Tensor", { self: x, other: someFloats(7), alpha: 2 }],
  ["aten::mul.Tensor", { self: x, other: someFloats(5, 7) }],
  ["aten::gelu", { self: x }],
  ["aten::mm", { self: x, mat2: someFloats(7, 3) }],
  ["aten::_softmax", { self: x, dim: -1, half_to_float: false }],
  ["aten::sum.dim_IntList", { self: x, dim: [0] }],
  ["aten::transpose.int", { self: x, dim0: 0, dim1: 1 }],
  ["aten::cat", { tensors: [x, someFloats(2, 7)] }],
];

describe("PyTorch's own ops pass on every backend", () => {
  it.each(OPS as [string, OpSample, (readonly DType[])?][])(
    "%s passes",
    async (name: string, sample: OpSample, dtypes?: readonly DType[]) => {
      const op = aten.ops.find((each) => each.name === name)!;
      const { calls, directions } = await checkOp(op, [sample], {
        backends,
        ...(dtypes === undefined ? {} : { dtypes }),
      });
      expect(calls).toBeGreaterThan(10);
      expect(directions).toBeGreaterThan(10);
    },
  );
});

describe("ops of users pass on every backend", () => {
  it("a scalar op passes, with its derived gradient", async () => {
    const gate = defineOp("mine::gate(Tensor self, Tensor other, float by=1.5) -> Tensor", {
      scalar: (self, other, by) => s.mul(s.sigmoid(self), s.add(other, by)),
    });
    const { unchecked, directions } = await checkOp(gate, [{ self: x, other: someFloats(7) }], { backends });
    expect(unchecked).toEqual([]);
    expect(directions).toBeGreaterThan(20);
  });

  it("a view passes", async () => {
    const turned = defineOp("mine::turned(Tensor(a) self) -> Tensor(a)", {
      view: ({ shape, strides, offset }) => ({ shape: shape.toReversed(), strides: strides.toReversed(), offset }),
    });
    await checkOp(turned, [{ self: x }], { backends });
  });

  it("an op that computes by a function on elements passes, with a gradient that calls it", async () => {
    const sums = defineOp("mine::sums(Tensor self) -> Tensor", {
      requires: { kinds: { self: "float" } },
      infer: ({ self }) => self,
      compute({ self: { dtype, shape, data } }) {
        const width = shape.at(-1) ?? 1;
        const totals = dtype === "float64" ? Float64Array.from(data, Number) : Float32Array.from(data, Number);
        totals.forEach((x, i) => {
          totals[i] = x + (i % width === 0 ? 0 : totals[i - 1]!);
        });
        return { dtype, shape, data: totals };
      },
      gradient({ grads: [grad] }, b): { self: TensorMeta } {
        const turned = b.tensor("aten::flip", { self: grad!, dims: [-1] });
        return { self: b.tensor("aten::flip", { self: b.tensor(sums, { self: turned }), dims: [-1] }) };
      },
    });
    const { directions } = await checkOp(sums, [{ self: x }], { backends });
    expect(directions).toBeGreaterThan(10);
  });

  it("an op that writes passes", async () => {
    const doubled = defineOp("mine::doubled_(Tensor(a!) self) -> Tensor(a!)", {
      decompose: ({ self }, b) => b.tensor("aten::add.Tensor", { self, other: self }),
    });
    await checkOp(doubled, [{ self: x }], { backends });
  });
});
