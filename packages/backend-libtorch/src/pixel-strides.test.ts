import { expect, it } from "vitest";
import type { NativeTensor } from "./addon.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { random } from "./random.test-helper.ts";

describeWithLibtorch("pt2::pixel_strides", ({ addon }) => {
  it.each([
    ["one image of pixels", [1, 5, 3, 7], [5, 1, 35, 5], [105, 1, 35, 5]],
    ["a column of pixels", [1, 5, 3, 1], [9, 1, 5, 77], [15, 1, 5, 5]],
    ["images of pixels", [2, 5, 3, 7], [105, 1, 35, 5], [105, 1, 35, 5]],
    ["one channel after the other", [1, 5, 3, 7], [2, 21, 7, 1], [2, 21, 7, 1]],
    ["one channel", [1, 1, 3, 7], [3, 5, 7, 1], [3, 5, 7, 1]],
    ["one pixel", [1, 5, 1, 1], [2, 1, 3, 4], [2, 1, 3, 4]],
    ["some channels of a wider image", [1, 5, 3, 7], [6, 1, 42, 6], [6, 1, 42, 6]],
    ["nothing", [1, 5, 0, 7], [1, 1, 35, 5], [1, 1, 35, 5]],
    ["three dimensions", [1, 5, 7], [5, 1, 5], [5, 1, 5]],
  ])("%s", (_, shape, strides, expected) => {
    const elements = shape.reduce((last, size, d) => last + Math.max(0, size - 1) * strides[d]!, 1);
    const storage = addon.storage(random([elements]).bytes);
    const tensor = addon.tensor(storage, { dtype: "float32", shape, strides, storageOffset: 0 }, "cpu");
    const [seen] = addon.callSync("pt2::pixel_strides", [{ name: "x", value: { kind: "tensor", tensor } }]) as [
      NativeTensor,
    ];
    expect([seen.shape, seen.strides]).toEqual([shape, expected]);
    expect(Buffer.from(seen.bytes()).equals(Buffer.from(tensor.bytes()))).toBe(true);
  });
});
