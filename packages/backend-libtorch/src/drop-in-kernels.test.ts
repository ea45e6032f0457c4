import { contiguousStrides, type DType } from "@pt2/format";
import { describe, expect, it } from "vitest";
import type { NativeArg, NativeArgValue, NativeTensor } from "./addon.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { random } from "./random.test-helper.ts";

describeWithLibtorch("kernels that stand for ATen's", ({ addon }) => {
  const sizeOf: Partial<Record<DType, number>> = { bool: 1, float16: 2, float32: 4, int64: 8, complex64: 8 };
  /** A tensor with these strides, of any bytes. */
  const tensor = (
    shape: readonly number[],
    { strides = contiguousStrides(shape), dtype = "float32" as DType, storageOffset = 0 } = {},
  ): NativeTensor => {
    const last = shape.reduce((at, size, dim) => at + (size - 1) * strides[dim]!, storageOffset);
    const { bytes } = random([Math.ceil(((last + 1) * sizeOf[dtype]!) / 4)]);
    const read = dtype === "bool" ? bytes.map((byte) => byte & 1) : bytes;
    return addon.tensor(addon.storage(read), { dtype, shape, strides, storageOffset }, "cpu");
  };
  const places = (shape: readonly number[], numbers: readonly number[]): NativeTensor => {
    const bytes = new Uint8Array(BigInt64Array.from(numbers, BigInt).buffer);
    const strides = contiguousStrides(shape);
    return addon.tensor(addon.storage(bytes), { dtype: "int64", shape, strides, storageOffset: 0 }, "cpu");
  };
  const value = (of: NativeTensor): NativeArgValue => ({ kind: "tensor", tensor: of });

  function expectAlike(names: readonly string[], args: readonly NativeArg[]): void {
    const [own, aten] = names.map((op) => addon.callSync(op, args)[0] as NativeTensor);
    expect([own!.dtype, own!.shape, own!.strides]).toEqual([aten!.dtype, aten!.shape, aten!.strides]);
    expect(Buffer.from(own!.bytes()).equals(Buffer.from(aten!.bytes()))).toBe(true);
  }

  describe("pt2::contiguous", () => {
    it.each([
      ["a sequence whose channels lie side by side", [2, 37, 61], [61 * 37, 1, 37]],
      ["one of few channels", [2, 3, 61], [183, 1, 3]],
      ["one that is a vector wide", [1, 16, 64], [1024, 1, 16]],
      ["many pixels, in parts", [3, 40, 71, 73], [40 * 71 * 73, 1, 40 * 73, 40]],
      ["some channels of a wider image", [2, 9, 5, 7], [35 * 40, 1, 7 * 40, 40]],
      ["a matrix", [70, 33], [1, 70]],
      ["a video", [2, 6, 3, 4, 5], [360, 1, 120, 30, 6]],
      ["the same matrix again", [4, 17, 18], [0, 1, 17]],
      ["the same row again", [17, 18], [1, 0]],
      ["heads side by side", [2, 3, 5, 8], [120, 8, 24, 1]],
      ["rows apart", [5, 8], [10, 1]],
      ["every second number", [5, 8], [2, 10]],
      ["what is contiguous already", [5, 8], [8, 1]],
      ["one number", [1, 1], [7, 7]],
      ["nothing", [0, 3], [1, 1]],
    ] as const)("%s", (_, shape, strides) => {
      const names = ["pt2::contiguous", "aten::contiguous"];
      expectAlike(names, [{ name: "self", value: value(tensor(shape, { strides })) }]);
      const half = tensor(shape, { strides, dtype: "float16", storageOffset: 1 });
      expectAlike(names, [{ name: "self", value: value(half) }]);
      const format = { name: "memory_format", value: { kind: "memory_format", value: "channels_last" } } as const;
      if (shape.length === 4) expectAlike(names, [{ name: "self", value: value(tensor(shape, { strides })) }, format]);
    });
  });

  describe("pt2::index", () => {
    const table = places([2, 3], [0, -1, 2, 1, -3, 0]);
    const index = (self: NativeTensor, tables: readonly (NativeTensor | null)[]): readonly NativeArg[] => [
      { name: "self", value: value(self) },
      {
        name: "indices",
        value: { kind: "list", items: tables.map((each) => (each === null ? { kind: "none" } : value(each))) },
      },
    ];
    const names = ["pt2::index", "aten::index.Tensor"];

    it.each(["float32", "float16", "int64", "bool"] as const)("%s", (dtype) => {
      const self = tensor([4, 3, 5, 7], { dtype });
      for (const tables of [
        [table],
        [null, table],
        [null, null, table],
        [null, null, null, table],
        [table, table],
        [null, table, table],
        [table, table, table, table],
        [places([], [2])],
        [null, places([], [-1])],
        [places([0], [])],
        // Those that are for ATen: apart, of several shapes, of another dtype, a mask.
        [table, null, table],
        [table, places([3], [0, 1, 2])],
        [tensor([4], { dtype: "bool" })],
      ]) {
        expectAlike(names, index(self, tables));
      }
    });

    it("rows of a table, in parts", () => {
      const numbers = Array.from({ length: 5000 }, (_, i) => (i * 7919) % 300);
      expectAlike(names, index(tensor([300, 33]), [places([50, 100], numbers)]));
      expectAlike(names, index(tensor([3, 300]), [null, places([5000], numbers)]));
    });

    it("of a tensor that is not contiguous, of none, and of a complex one", () => {
      expectAlike(names, index(tensor([4, 3], { strides: [1, 4] }), [table]));
      expectAlike(names, index(tensor([3, 0]), [table]));
      expectAlike(names, index(tensor([3, 2], { dtype: "complex64" }), [table]));
    });

    it("refuses what ATen refuses", () => {
      for (const op of names) {
        expect(() => addon.callSync(op, index(tensor([3, 2]), [places([2], [0, 3])]))).toThrow("out of bounds");
        expect(() => addon.callSync(op, index(tensor([3, 2]), [null, table]))).toThrow("out of bounds");
        expect(() => addon.callSync(op, index(tensor([3]), [table, table]))).toThrow("too many indices");
      }
    });
  });
});
