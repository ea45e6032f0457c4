import { hostTensor, type Tensor } from "@pt2/backend";
import { floats } from "@pt2/conformance";
import { expect, it } from "vitest";
import { LibtorchBackend } from "../backend.ts";
import { describeWithLibtorch } from "../libtorch.test-helper.ts";
import { elementsOf } from "../programs.test-helper.ts";

describeWithLibtorch("single ops", ({ addon }) => {
  const torch = new LibtorchBackend(addon);
  const x = floats([4], 3, 1, 4, 1.5);
  const tensor = (value: unknown): Tensor => value as Tensor;

  it("arguments are given by name or by position, and each return is a result", async () => {
    const named = await torch.call("aten::topk", { self: x, k: 2 });
    const positional = torch.callSync("torch.ops.aten.topk.default", [x, 2]);
    for (const [values, indices] of [named, positional]) {
      expect(elementsOf(tensor(values))).toEqual([4, 3]);
      expect(elementsOf(tensor(indices))).toEqual([2n, 0n]);
    }
  });

  it("an argument may be a list of tensors, a dtype, a number for a tensor, or a result of another op", async () => {
    const [joined] = await torch.call("aten::cat", { tensors: [x, x], dim: 0 });
    const [double] = await torch.call("aten::to.dtype", { self: tensor(joined), dtype: "float64" });
    const [sum] = await torch.call("aten::add.Tensor", { self: tensor(double), other: 1 });
    expect(tensor(sum)).toMatchObject({ dtype: "float64", shape: [8] });
    const [parts] = await torch.call("aten::split.Tensor", [tensor(sum), 4]);
    expect((parts as readonly Tensor[]).map(elementsOf)).toEqual([
      [4, 2, 5, 2.5],
      [4, 2, 5, 2.5],
    ]);
    const [large] = await torch.call("aten::mul.Scalar", { self: floats([1], 1), other: 2 ** 70 });
    expect(elementsOf(tensor(large))).toEqual([2 ** 70]);
    expect(await torch.call("aten::item", [hostTensor("int64", [], BigInt64Array.of(2n ** 60n))])).toEqual([2n ** 60n]);
  });

  it("a wrong op, argument, library or device is a coded error", async () => {
    await expect(torch.call("aten::nothing", [])).rejects.toMatchObject({ code: "libtorch.no-op" });
    await expect(torch.call("aten::relu", { input: x })).rejects.toMatchObject({ code: "libtorch.argument" });
    await expect(torch.call("aten::relu", { self: "x" })).rejects.toMatchObject({ code: "libtorch.argument" });
    await expect(torch.call("aten::mm", [x, x])).rejects.toMatchObject({ code: "libtorch.op-failed" });
    expect(() => torch.loadLibrary("/nowhere/lib.so")).toThrow(expect.objectContaining({ code: "libtorch.library" }));
    expect(() => new LibtorchBackend(addon, { device: "tpu" })).toThrow(
      expect.objectContaining({ code: "libtorch.device" }),
    );
  });
});
