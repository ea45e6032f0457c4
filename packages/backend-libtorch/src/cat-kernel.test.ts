import { contiguousStrides } from "@pt2/format";
import { expect, it } from "vitest";
import type { NativeArg, NativeTensor } from "./addon.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { random } from "./random.test-helper.ts";

describeWithLibtorch("pt2::cat has ATen's values and strides", ({ addon }) => {
  /** Numbers in this order of dimensions, the last of which lie side by side. */
  const tensor = (shape: readonly number[], order: readonly number[] = shape.map((_, i) => i)): NativeTensor => {
    const lying = contiguousStrides(order.map((dim) => shape[dim]!));
    const strides = shape.map((_, dim) => lying[order.indexOf(dim)]!);
    const { bytes } = random(shape, shape.length + (shape.at(1) ?? 0));
    return addon.tensor(addon.storage(bytes), { dtype: "float32", shape, strides, storageOffset: 0 }, "cpu");
  };
  /** Every number of a larger tensor, from the first on, that these strides reach. */
  const part = (shape: readonly number[], strides: readonly number[]): NativeTensor => {
    const { bytes } = random([shape.reduce((last, size, dim) => last + (size - 1) * strides[dim]!, 1)]);
    return addon.tensor(addon.storage(bytes), { dtype: "float32", shape, strides, storageOffset: 0 }, "cpu");
  };
  const image = (channels: number, height = 5, width = 7): NativeTensor =>
    tensor([3, channels, height, width], [0, 2, 3, 1]);

  it.each([
    ["channels of images", [image(5), image(31), image(1), image(64)], 1],
    ["channels of many numbers, in parts", [image(33, 61, 67), image(2, 61, 67), image(1, 61, 67)], -3],
    ["images", [image(5), image(5)], 0],
    ["rows of images", [image(5), image(5, 2)], 2],
    ["columns of images", [image(5), image(5, 5, 3)], 3],
    ["channels that come first", [tensor([3, 5, 5, 7]), tensor([3, 31, 5, 7])], 1],
    ["both orders", [tensor([3, 5, 5, 7]), image(31)], 1],
    ["one pixel, which lies in either order", [image(5, 1, 1), tensor([3, 2, 1, 1])], 1],
    ["one channel, which lies in either order", [image(1), tensor([3, 1, 5, 7]), image(1)], 1],
    ["volumes", [tensor([2, 3, 4, 5, 6], [0, 2, 3, 4, 1]), tensor([2, 1, 4, 5, 6], [0, 2, 3, 4, 1])], 1],
    ["rows of matrices, in parts", [tensor([3, 70_001]), tensor([2, 70_001])], 0],
    ["columns of matrices", [tensor([301, 5]), tensor([301, 2000])], 1],
    ["columns that lie apart", [tensor([301, 5], [1, 0]), tensor([301, 3])], -1],
    ["some channels of a wider image", [part([3, 9, 5, 7], [35 * 40, 1, 7 * 40, 40]), image(31)], 1],
    ["some channels that come first", [part([3, 9, 5, 7], [35 * 40, 35, 7, 1]), tensor([3, 2, 5, 7])], 1],
    ["some columns of wider images", [part([3, 9, 5, 7], [100 * 9, 1, 20 * 9, 9]), image(9)], 3],
    ["some columns, one below the other", [part([3, 9, 5, 7], [100 * 9, 1, 20 * 9, 9]), image(9)], 2],
    ["every second row", [part([30, 5], [10, 1]), tensor([30, 2])], 1],
    ["the same row", [part([30, 5], [0, 1]), tensor([30, 2])], 1],
    ["every second column", [part([30, 5], [10, 2]), tensor([30, 2])], 1],
    ["nothing beside something", [tensor([3, 0]), tensor([3, 4])], 1],
    ["nothing of another shape", [tensor([0]), tensor([3, 4])], 1],
    ["nothing at all", [tensor([3, 0]), tensor([3, 0])], 1],
    ["one", [tensor([3, 4])], 0],
  ] as const)("%s", (_, tensors, dim) => {
    const items = tensors.map((each) => ({ kind: "tensor", tensor: each }) as const);
    const args: readonly NativeArg[] = [
      { name: "tensors", value: { kind: "list", items } },
      { name: "dim", value: { kind: "int", value: dim } },
    ];
    const [own, aten] = ["pt2::cat", "aten::cat"].map((op) => addon.callSync(op, args)[0] as NativeTensor);
    expect([own!.shape, own!.strides]).toEqual([aten!.shape, aten!.strides]);
    expect(Buffer.from(own!.bytes()).equals(Buffer.from(aten!.bytes()))).toBe(true);
  });

  it.each([
    [
      "rows of heads",
      [
        [2, 3, 5, 8],
        [2, 3, 1, 8],
      ],
      2,
    ],
    [
      "heads whose rows are odd",
      [
        [2, 3, 5, 7],
        [2, 3, 1, 7],
      ],
      2,
    ],
    [
      "columns, of which some are odd",
      [
        [3, 4],
        [3, 5],
      ],
      1,
    ],
    [
      "columns",
      [
        [301, 4],
        [301, 2000],
      ],
      1,
    ],
    [
      "rows, in parts",
      [
        [3, 70_002],
        [2, 70_002],
      ],
      0,
    ],
    [
      "nothing beside something",
      [
        [3, 0],
        [3, 4],
      ],
      1,
    ],
  ] as const)("in half precision: %s", (_, shapes, dim) => {
    for (const dtype of ["float16", "bfloat16"] as const) {
      // Every second row, or all of them.
      for (const apart of [1, 2]) {
        const items = shapes.map((shape) => {
          const strides = contiguousStrides(shape).map((stride) => (stride === 1 ? 1 : stride * apart));
          const { bytes } = random([shape[0] * strides[0]! + 2]);
          const meta = { dtype, shape, strides, storageOffset: apart - 1 };
          return { kind: "tensor", tensor: addon.tensor(addon.storage(bytes), meta, "cpu") } as const;
        });
        const args: readonly NativeArg[] = [
          { name: "tensors", value: { kind: "list", items } },
          { name: "dim", value: { kind: "int", value: dim } },
        ];
        const [own, aten] = ["pt2::cat", "aten::cat"].map((op) => addon.callSync(op, args)[0] as NativeTensor);
        expect([own!.dtype, own!.shape, own!.strides]).toEqual([dtype, aten!.shape, aten!.strides]);
        expect(Buffer.from(own!.bytes()).equals(Buffer.from(aten!.bytes()))).toBe(true);
      }
    }
  });

  it("leaves the channels of sequences side by side, if they may lie in any order", () => {
    const sequence = (channels: number): NativeTensor => tensor([3, channels, 50], [0, 2, 1]);
    const call = (op: string, tensors: readonly NativeTensor[], rest: readonly NativeArg[] = []): NativeTensor => {
      const items = tensors.map((each) => ({ kind: "tensor", tensor: each }) as const);
      const args: readonly NativeArg[] = [
        { name: "tensors", value: { kind: "list", items } },
        { name: "dim", value: { kind: "int", value: 1 } },
        ...rest,
      ];
      return addon.callSync(op, args)[0] as NativeTensor;
    };
    const any = [{ name: "any_order", value: { kind: "bool", value: true } }] as const;
    const alike = [sequence(5), sequence(32)];
    const own = call("pt2::cat", alike, any);
    expect(own.strides).toEqual([1850, 1, 37]);
    expect(Buffer.from(own.bytes()).equals(Buffer.from(call("aten::cat", alike).bytes()))).toBe(true);
    // Otherwise, and where they lie in several orders, as ATen's.
    expect(call("pt2::cat", alike).strides).toEqual([1850, 50, 1]);
    const mixed = [sequence(5), tensor([3, 32, 50])];
    const other = call("pt2::cat", mixed, any);
    expect(other.strides).toEqual([1850, 50, 1]);
    expect(Buffer.from(other.bytes()).equals(Buffer.from(call("aten::cat", mixed).bytes()))).toBe(true);
  });

  it("refuses what ATen refuses", () => {
    const items = [tensor([3, 4]), tensor([2, 5])].map((each) => ({ kind: "tensor", tensor: each }) as const);
    const args = [{ name: "tensors", value: { kind: "list", items } }] as const;
    expect(() => addon.callSync("pt2::cat", args)).toThrow("Sizes of tensors must match");
  });
});
