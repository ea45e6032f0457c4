import type { Builder, TensorMeta } from "@pt2/registry";
import { type Call, type GradientRules, type Gradients, ofResult } from "../gradient-rule.ts";
import { summedTo } from "../scalar-gradient.ts";
import { Emit, tensorOf } from "./support.ts";

/** Products of matrices: `mm`, `bmm`, `linear`, `addmm`, `baddbmm`. */
export const MATMUL_RULES: GradientRules = {
  "aten::linear": ofResult((grad, args, b, { wants }) => {
    const e = new Emit(b);
    const [input, weight] = [tensorOf(args.input), tensorOf(args.weight)];
    const rows = (x: TensorMeta): TensorMeta => e.reshape(x, [count(x.shape.slice(0, -1)), x.shape.at(-1)!]);
    // A weight of one dimension is a dot product.
    const [g, w] =
      weight.shape.length === 1
        ? [e.reshape(grad, [count(grad.shape), 1]), e.reshape(weight, [1, weight.shape[0]!])]
        : [rows(grad), weight];
    const mm = (self: TensorMeta, mat2: TensorMeta): TensorMeta => b.tensor("aten::mm", { self, mat2 });
    return {
      input: wants("input") ? e.reshape(mm(g, w), input.shape) : null,
      weight: wants("weight") ? e.reshape(mm(e.transposed(g), rows(input)), weight.shape) : null,
      bias: wants("bias") ? e.reshape(e.sum(g, [0]), tensorOf(args.bias).shape) : null,
    };
  }),
  "aten::mm": ofResult((grad, args, b, call) => product("aten::mm", ["self", "mat2"], grad, args, b, call)),
  "aten::bmm": ofResult((grad, args, b, call) => product("aten::bmm", ["self", "mat2"], grad, args, b, call)),
  "aten::addmm": ofResult((grad, args, b, call) => added("aten::mm", ["mat1", "mat2"], grad, args, b, call)),
  "aten::baddbmm": ofResult((grad, args, b, call) => added("aten::bmm", ["batch1", "batch2"], grad, args, b, call)),
};

function added(
  op: "aten::mm" | "aten::bmm",
  [left, right]: readonly [string, string],
  grad: TensorMeta,
  args: Call["args"],
  b: Builder,
  call: Call,
): Gradients {
  const e = new Emit(b);
  const self = tensorOf(args.self);
  const alpha = numberOf(args.alpha);
  const scaled = product(op, [left, right], alpha === 1 ? grad : e.times(grad, alpha), args, b, call);
  return {
    ...scaled,
    self: call.wants("self") ? summedTo(self.shape, e.times(grad, numberOf(args.beta)), b) : null,
  };
}

/** For Z = XY: dX = dZ Yᵀ, dY = Xᵀ dZ. */
function product(
  op: "aten::mm" | "aten::bmm",
  [left, right]: readonly [string, string],
  grad: TensorMeta,
  args: Call["args"],
  b: Builder,
  { wants }: Call,
): Gradients {
  const e = new Emit(b);
  const times = (self: TensorMeta, mat2: TensorMeta): TensorMeta => b.tensor(op, { self, mat2 });
  return {
    [left]: wants(left) ? times(grad, e.transposed(tensorOf(args[right]))) : null,
    [right]: wants(right) ? times(e.transposed(tensorOf(args[left])), grad) : null,
  };
}

function numberOf(value: Call["args"][string] | undefined): number {
  return typeof value === "object" && value !== null && "float" in value ? value.float : Number(value ?? 1);
}

function count(shape: readonly number[]): number {
  return shape.reduce((n, size) => n * size, 1);
}
