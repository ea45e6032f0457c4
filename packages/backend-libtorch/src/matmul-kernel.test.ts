import { availableParallelism } from "node:os";
import { contiguousStrides } from "@pt2/format";
import { expect, it } from "vitest";
import type { NativeArg, NativeTensor } from "./addon.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { random } from "./random.test-helper.ts";
import { sumError } from "./sum-error.test-helper.ts";

describeWithLibtorch("pt2::matmul has ATen's values", ({ addon }) => {
  const tensor = (shape: readonly number[], strides: readonly number[] = contiguousStrides(shape)): NativeTensor => {
    const { bytes } = random([shape.reduce((last, size, dim) => last + Math.max(0, size - 1) * strides[dim]!, 1)]);
    return addon.tensor(addon.storage(bytes), { dtype: "float32", shape, strides, storageOffset: 0 }, "cpu");
  };
  const given = (value: NativeTensor | null): NativeArg["value"] =>
    value === null ? { kind: "none" } : { kind: "tensor", tensor: value };
  const matmul = (
    x: NativeTensor,
    other: NativeTensor,
    {
      bias = null,
      residual = null,
      attr = "none",
    }: Partial<Record<"bias" | "residual", NativeTensor | null>> & {
      attr?: string;
    } = {},
  ): NativeTensor =>
    addon.callSync("pt2::matmul", [
      { name: "x", value: given(x) },
      { name: "other", value: given(other) },
      { name: "bias", value: given(bias) },
      { name: "residual", value: given(residual) },
      { name: "attr", value: { kind: "string", value: attr } },
      { name: "scalars", value: { kind: "list", items: [] } },
      { name: "algorithm", value: { kind: "string", value: "" } },
    ])[0] as NativeTensor;
  const aten = (op: string, args: Readonly<Record<string, NativeTensor>>): NativeTensor =>
    addon.callSync(
      op,
      Object.entries(args).map(([name, value]) => ({ name, value: given(value) })),
    )[0] as NativeTensor;
  const floats = (value: NativeTensor): Float32Array => new Float32Array(Uint8Array.from(value.bytes()).buffer);
  const expectLike = (own: NativeTensor, other: NativeTensor, inner: number): void => {
    expect([own.shape, own.strides]).toEqual([other.shape, contiguousStrides(other.shape)]);
    const [a, b] = [floats(own), floats(other)];
    expect(a.length).toBe(b.length);
    expect(a.reduce((worst, value, i) => Math.max(worst, Math.abs(value - b[i]!)), 0)).toBeLessThanOrEqual(
      sumError(Math.max(inner, 8)),
    );
  };

  it.each<readonly [string, NativeTensor, NativeTensor]>([
    ["matrices", tensor([23, 17]), tensor([17, 31])],
    ["few rows", tensor([3, 17]), tensor([17, 31])],
    ["a column", tensor([29, 41]), tensor([41, 1])],
    ["rows in several pieces", tensor([997, 13]), tensor([13, 37])],
    ["columns in several panels that pass through the cache", tensor([211, 1021]), tensor([1021, 257])],
    ["a long inner dimension", tensor([19, 4099]), tensor([4099, 67])],
    ["a left side that is transposed", tensor([53, 29], [1, 53]), tensor([29, 47])],
    ["a right side that is transposed", tensor([53, 29]), tensor([29, 47], [1, 29])],
    ["both sides transposed", tensor([530, 129], [1, 530]), tensor([129, 47], [1, 129])],
    ["rows that are a page apart", tensor([37, 1024]), tensor([1024, 96])],
    ["every second element of both", tensor([21, 11], [22, 2]), tensor([11, 19], [38, 2])],
    ["the same row again", tensor([21, 11], [0, 1]), tensor([11, 19])],
    ["the same element again", tensor([21, 11], [0, 0]), tensor([11, 19], [0, 0])],
    ["batches", tensor([5, 7, 11, 13]), tensor([5, 7, 13, 17])],
    ["batches of heads that lie behind one another", tensor([2, 3, 29, 8], [696, 8, 24, 1]), tensor([2, 3, 8, 29])],
    ["one left side for a batch", tensor([1, 23, 13]), tensor([5, 13, 17])],
    ["one right side for a batch", tensor([5, 23, 13]), tensor([1, 13, 17])],
    ["a matrix for a batch", tensor([3, 5, 23, 13]), tensor([13, 17])],
    ["a matrix for a batch that is transposed", tensor([5, 23, 13], [299, 1, 23]), tensor([13, 17])],
    ["batches that are broadcast to each other", tensor([5, 1, 11, 13]), tensor([7, 13, 17])],
    ["matrices of a batch that are transposed", tensor([5, 61, 13], [793, 1, 61]), tensor([5, 13, 17], [221, 1, 13])],
    // The second matrix begins where the second panel of the first one does, and has more columns there.
    ...[16, 32, 48, 64, 96, 128].map(
      (step) => [`matrices ${step} columns apart`, tensor([9, 1021]), tensor([5, 1021, 137], [step, 700, 1])] as const,
    ),
    ["many small ones", tensor([301, 9, 8]), tensor([301, 8, 9])],
    ["nothing on the inside", tensor([5, 0]), tensor([0, 7])],
    ["nothing on the inside of a batch", tensor([3, 5, 0]), tensor([3, 0, 7])],
    ["no rows", tensor([0, 5]), tensor([5, 7])],
    ["no columns", tensor([9, 5]), tensor([5, 0])],
    ["no batch", tensor([0, 9, 5]), tensor([0, 5, 7])],
  ])("%s", (_, x, other) => {
    expectLike(matmul(x, other), aten("aten::matmul", { self: x, other }), x.shape.at(-1)!);
  });

  it.each([23, 2])("adds a bias and a residual, and applies an activation: %i rows", (rows) => {
    const [x, other, bias, residual] = [
      tensor([5, rows, 13]),
      tensor([5, 13, 17]),
      tensor([17]),
      tensor([5, rows, 17]),
    ];
    const product = aten("aten::matmul", { self: x, other });
    const sum = aten("aten::add.Tensor", {
      self: aten("aten::add.Tensor", { self: product, other: bias }),
      other: residual,
    });
    expectLike(matmul(x, other, { bias, residual }), sum, 13);
    expectLike(matmul(x, other, { bias, residual, attr: "relu" }), aten("aten::relu", { self: sum }), 13);
    expectLike(matmul(x, other, { attr: "tanh" }), aten("aten::tanh", { self: product }), 13);
    expectLike(matmul(x, other, { residual }), aten("aten::add.Tensor", { self: product, other: residual }), 13);
  });

  it("gives the same bytes on any number of threads", () => {
    const sides = [
      [tensor([997, 13]), tensor([13, 37])],
      [tensor([211, 1021]), tensor([1021, 257])],
      [tensor([5, 7, 61, 13]), tensor([5, 7, 13, 17])],
      [tensor([530, 129], [1, 530]), tensor([129, 47], [1, 129])],
    ] as const;
    try {
      const results = [1, 2, 3, 5].map((count) => {
        addon.setThreads(count);
        return sides.map(([x, other]) => Buffer.from(matmul(x, other).bytes()).toString("base64"));
      });
      for (const result of results) expect(result).toEqual(results[0]);
    } finally {
      addon.setThreads(availableParallelism());
    }
  });

  it("keeps NaN and infinities", () => {
    const bytes = new Uint8Array(Float32Array.from([NaN, 1, Infinity, 2, 3, 4, 5, 6].flatMap((x) => [x, 1])).buffer);
    const x = addon.tensor(
      addon.storage(bytes),
      { dtype: "float32", shape: [8, 2], strides: [2, 1], storageOffset: 0 },
      "cpu",
    );
    const other = tensor([2, 9]);
    expect(floats(matmul(x, other))).toEqual(floats(aten("aten::matmul", { self: x, other })));
  });

  it("refuses what does not fit", () => {
    expect(() => matmul(tensor([9, 5]), tensor([6, 7]))).toThrow("must be matrices or batches of them that fit");
    expect(() => matmul(tensor([2, 9, 5]), tensor([3, 5, 7]))).toThrow("must match");
    expect(() => matmul(tensor([5]), tensor([5, 7]))).toThrow("must be matrices");
  });
});
