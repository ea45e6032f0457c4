import { expect, it } from "vitest";
import { parseOpName, splitOpName } from "./op-name.ts";

it.each([
  ["torch.ops.aten.add.Tensor", "aten::add.Tensor"],
  ["torch.ops.aten.relu.default", "aten::relu"],
  ["aten.relu", "aten::relu"],
  ["aten.add_.Tensor", "aten::add_.Tensor"],
  ["aten::relu.default", "aten::relu"],
  ["aten::add.Tensor", "aten::add.Tensor"],
  ["torch.ops.higher_order.cond", "higher_order::cond"],
  ["torch._higher_order_ops.cond.cond", "higher_order::cond"],
  ["_operator.mul", "_operator::mul"],
  ["operator.mul", "_operator::mul"],
  ["math.trunc", "math::trunc"],
  ["torch.sym_max", "torch::sym_max"],
  ["torch._sym_sqrt", "torch::_sym_sqrt"],
  ["torch._functorch.predispatch._add_batch_dim", "torch._functorch.predispatch::_add_batch_dim"],
  ["torchvision.nms", "torchvision::nms"],
  ["torch.ops.mylib.x.default", "mylib::x"],
  ["aten::add.*", "aten::add.*"],
  ["#edge:add.out", "#edge::add.out"],
])("parseOpName converts %s to %s", (text, name) => {
  expect(parseOpName(text)).toBe(name);
  expect(parseOpName(name)).toBe(name);
});

it.each(["", "relu", "aten::", "::relu", "aten relu", "a::b::c"])("parseOpName rejects %j", (text) => {
  expect(() => parseOpName(text)).toThrow(expect.objectContaining({ code: "graph.op-name" }));
});

it("splitOpName splits a name", () => {
  expect(splitOpName("aten::add.Tensor")).toEqual({ namespace: "aten", op: "add", overload: "Tensor" });
  expect(splitOpName("higher_order::cond")).toEqual({ namespace: "higher_order", op: "cond", overload: "" });
});
