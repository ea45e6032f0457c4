import { isTensorMeta, type TensorMeta } from "@pt2/registry";
import { type Call, type GradientRule, type GradientRules, ofResult } from "../gradient-rule.ts";
import { summedTo } from "../scalar-gradient.ts";
import { Emit, tensorOf } from "./support.ts";

/**
 * Elementwise functions with a backward op of their own in PyTorch, and those that are no scalar expressions. All other
 * elementwise ops have the derivatives of their expressions.
 */
export const POINTWISE_RULES: GradientRules = {
  "aten::sigmoid": byResult("sigmoid_backward"),
  "aten::tanh": byResult("tanh_backward"),
  "aten::relu": ofResult((grad_output, _, b, { results }) => ({
    self: new Emit(b).tensor("aten::threshold_backward", { grad_output, self: results[0]!, threshold: 0 }),
  })),
  "aten::gelu": byInput("gelu_backward", ["approximate"]),
  "aten::silu": byInput("silu_backward"),
  "aten::mish": byInput("mish_backward"),
  "aten::hardswish": byInput("hardswish_backward"),
  "aten::hardsigmoid": byInput("hardsigmoid_backward"),
  "aten::hardtanh": byInput("hardtanh_backward", ["min_val", "max_val"]),
  "aten::softplus": byInput("softplus_backward", ["beta", "threshold"]),
  "aten::logit": byInput("logit_backward", ["eps"]),
  "aten::leaky_relu": ofResult((grad_output, { self, negative_slope }, b) => {
    const given = { grad_output, self: self!, negative_slope: negative_slope!, self_is_result: false };
    return { self: new Emit(b).tensor("aten::leaky_relu_backward", given) };
  }),
  "aten::clamp.Tensor": ofResult((grad, args, b, { wants }) => {
    const e = new Emit(b);
    const self = tensorOf(args.self);
    const low = isTensorMeta(args.min) ? args.min : null;
    const high = isTensorMeta(args.max) ? args.max : null;
    const is = (op: string, x: TensorMeta, y: TensorMeta): TensorMeta =>
      e.tensor(`aten::${op}.Tensor`, { self: x, other: y });
    const both = (x: TensorMeta | null, y: TensorMeta | null): TensorMeta =>
      x === null || y === null ? (x ?? y)! : e.tensor("aten::bitwise_and.Tensor", { self: x, other: y });
    const where = (condition: TensorMeta, to: TensorMeta): TensorMeta =>
      summedTo(to.shape, e.cast(e.where(condition, grad, e.full([], 0, grad.dtype)), to.dtype), b);
    const above = low && is("ge", self, low);
    const below = high && is("le", self, high);
    const isLow = low && both(is("lt", self, low), high && is("lt", low, high));
    const isHigh = high && is("gt", self, high);
    const crossed = low && high && is("lt", high, low);
    return {
      self: wants("self") ? where(both(above, below), self) : null,
      min: low && wants("min") ? where(isLow!, low) : null,
      max:
        high && wants("max")
          ? where(
              crossed === null ? isHigh! : e.tensor("aten::bitwise_or.Tensor", { self: isHigh!, other: crossed }),
              high,
            )
          : null,
    };
  }),
  "aten::hardshrink": ofResult((grad_out, { self, lambd }, b) => ({
    self: new Emit(b).tensor("aten::hardshrink_backward", { grad_out, self: self!, lambd: lambd! }),
  })),
  "aten::fake_quantize_per_tensor_affine_cachemask": ofResult((grad, _, b, { results }) => ({
    self: new Emit(b).mul(grad, results[1]!),
  })),
  "aten::native_dropout": ofResult((grad_output, { p, train }, b, { results }) => {
    const kept = 1 - Number(p);
    const scale = train === false ? 1 : kept === 0 ? 0 : 1 / kept;
    return { input: new Emit(b).tensor("aten::native_dropout_backward", { grad_output, mask: results[1]!, scale }) };
  }),
  "aten::i0": byDerivative((x, e) => e.unary("special_i1", x)),
  "aten::special_i0e": byDerivative((x, e, y) => e.sub(e.unary("special_i1e", x), e.mul(e.unary("sgn", x), y))),
  "aten::special_erfcx": byDerivative((x, e, y) =>
    e.sub(e.mul(e.mul(x, y), { float: 2 }), { float: 2 / Math.sqrt(Math.PI) }),
  ),
  "aten::special_ndtri": byDerivative((_, e, y) =>
    e.mul(e.unary("exp", e.mul(e.mul(y, y), { float: 0.5 })), { float: Math.sqrt(2 * Math.PI) }),
  ),
  "aten::special_log_ndtr": byDerivative((x, e) =>
    e.div(e.full([], Math.sqrt(2 / Math.PI), x.dtype), e.unary("special_erfcx", e.mul(x, { float: -Math.SQRT1_2 }))),
  ),
  "aten::digamma": byDerivative((x, e) => e.tensor("aten::polygamma", { n: 1, self: x })),
  "aten::special_digamma": byDerivative((x, e) => e.tensor("aten::polygamma", { n: 1, self: x })),
  "aten::polygamma": ofResult((grad, { n, self }, b) => {
    const e = new Emit(b);
    return { self: e.mul(grad, e.tensor("aten::polygamma", { n: Number(n) + 1, self: self! })) };
  }),
};

function byResult(op: string): GradientRule {
  return ofResult((grad_output, _, b, { results }) => ({
    self: new Emit(b).tensor(`aten::${op}`, { grad_output, output: results[0]! }),
  }));
}

function byInput(op: string, further: readonly string[] = []): GradientRule {
  return ofResult((grad_output, args: Call["args"], b) => {
    const rest = Object.fromEntries(further.map((name) => [name, args[name] ?? null]));
    return { self: new Emit(b).tensor(`aten::${op}`, { grad_output, self: args.self!, ...rest }) };
  });
}

function byDerivative(derivative: (x: TensorMeta, e: Emit, y: TensorMeta) => TensorMeta): GradientRule {
  return ofResult((grad, { self }, b, { results }) => {
    const e = new Emit(b);
    return { self: e.mul(grad, derivative(tensorOf(self), e, results[0]!)) };
  });
}
