import { checkOp, floats, someFloats } from "@pt2/conformance";
import { defineOp } from "@pt2/registry";
import { scalar as s } from "@pt2/registry/scalar";
import { expect, test } from "vitest";
import { wasm } from "./node.ts";

test("x", async () => {
  const bend = defineOp("mine::bend(Tensor self) -> Tensor", { scalar: (x) => s.mul(x, s.tanh(x)) });
  const backends = [wasm({ worker: false })];
  console.log(await checkOp(bend, [{ self: someFloats(5, 7) }, { self: someFloats(0, 3) }], { backends }));
  const sharp = defineOp("mine::sharp(Tensor self, Tensor other, float sharpness=2.0) -> Tensor", {
    decompose({ self, other, sharpness }, b) {
      const largest = b.tensor("aten::amax", { self, dim: [-1], keepdim: true });
      const shifted = b.tensor("aten::sub.Tensor", { self, other: b.tensor("aten::mul.Tensor", { self: largest, other }) });
      return b.tensor("aten::softplus", { self: shifted, beta: { float: sharpness } });
    },
  });
  console.log(await checkOp(sharp, [{ self: someFloats(5, 7), other: someFloats(7) }], { backends }));
  const wrong = defineOp("mine::bend(Tensor self) -> Tensor", { infer: ({ self }) => ({ dtype: "float32", shape: self.shape }), decompose: ({ self }, b) => b.tensor("aten::relu", { self }) });
  await expect(checkOp(wrong, [{ self: someFloats(5, 7) }, { self: floats([0, 3]) }], { backends })).rejects.toThrow("xx");
});
