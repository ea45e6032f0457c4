import { type ArgValue, type Builder, isTensorMeta, type TensorMeta } from "@pt2/registry";
import { type Call, type GradientRule, type GradientRules, ofResult } from "../gradient-rule.ts";
import { summedTo } from "../scalar-gradient.ts";
import { Emit, type Operand, tensorOf } from "./support.ts";

/**
 * Elementwise functions with a backward op of their own in PyTorch, those that choose among their operands, and those that
 * are no scalar expressions. All other elementwise ops have the derivatives of their expressions.
 */
export const POINTWISE_RULES: GradientRules = {
  ...forAll(
    "xlogy.Tensor xlogy.Scalar_Self xlogy.Scalar_Other special_xlogy special_xlogy.self_scalar special_xlogy.other_scalar",
    timesLog("xlogy.Tensor", 0),
  ),
  ...forAll("special_xlog1py special_xlog1py.self_scalar special_xlog1py.other_scalar", timesLog("special_xlog1py", 1)),
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
  "aten::relu6": ofResult((grad_output, { self }, b) => ({
    self: new Emit(b).tensor("aten::hardtanh_backward", { grad_output, self: self!, min_val: 0, max_val: 6 }),
  })),
  "aten::threshold": byInput("threshold_backward", ["threshold"]),
  "aten::softshrink": byInput("softshrink_backward", ["lambd"]),
  "aten::_prelu_kernel": ofResult((grad_output, args, b) => {
    const [x, weight] = [tensorOf(args.self), tensorOf(args.weight)];
    const made = b.call("aten::_prelu_kernel_backward" as string, { grad_output, self: x, weight });
    return { self: summedTo(x.shape, tensorOf(made[0]), b), weight: summedTo(weight.shape, tensorOf(made[1]), b) };
  }),
  "aten::hardshrink": ofResult((grad_out, { self, lambd }, b) => ({
    self: new Emit(b).tensor("aten::hardshrink_backward", { grad_out, self: self!, lambd: lambd! }),
  })),
  "aten::fake_quantize_per_tensor_affine_cachemask": ofResult((grad, _, b, { results }) => ({
    self: new Emit(b).mul(grad, results[1]!),
  })),
  "aten::_fake_quantize_learnable_per_tensor_affine": ofResult(byLearned),
  "aten::_fake_quantize_learnable_per_channel_affine": ofResult(byLearned),
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
  "aten::special_entr": byDerivative((x, e) => e.neg(e.add(e.unary("log", x), { float: 1 }))),
  "aten::digamma": byDerivative((x, e) => e.tensor("aten::polygamma", { n: 1, self: x })),
  "aten::special_digamma": byDerivative((x, e) => e.tensor("aten::polygamma", { n: 1, self: x })),
  "aten::polygamma": ofResult((grad, { n, self }, b) => {
    const e = new Emit(b);
    return { self: e.mul(grad, e.tensor("aten::polygamma", { n: Number(n) + 1, self: self! })) };
  }),
  "aten::nan_to_num": byDerivative((x, e) => e.unary("isfinite", x)),
  // As in PyTorch's formulas the gradient is chosen too, where a derivative would be 0 or 1: what comes back for an operand
  // that was not taken may be infinite, and 0 times that is NaN.
  ...forAll("where.self where.ScalarSelf where.ScalarOther", (grad, { condition, self, other }, e, wants) => ({
    self: wants("self") ? taken(grad, tensorOf(condition), tensorOf(self), e) : null,
    other: wants("other") ? left(grad, tensorOf(condition), tensorOf(other), e) : null,
  })),
  ...forAll("masked_fill.Scalar masked_fill.Tensor", (grad, { self, mask, value }, e, wants) => ({
    self: wants("self") ? left(grad, tensorOf(mask), tensorOf(self), e) : null,
    value: wants("value") ? taken(grad, tensorOf(mask), tensorOf(value), e) : null,
  })),
  ...forAll(
    "clamp clamp.Tensor clip clip.Tensor clamp_min clamp_min.Tensor clamp_max clamp_max.Tensor",
    (grad, { self: given, min = null, max = null }, e, wants) => {
      const self = tensorOf(given);
      const above = min === null ? null : is("ge", self, min, e);
      const below = max === null ? null : is("le", self, max, e);
      const inside = above === null || below === null ? (above ?? below)! : both("and", above, below, e);
      // Where the bounds are in the wrong order, the result is the upper one.
      const bound = (beyond: string, value: ArgValue, join: "and" | "or"): TensorMeta => {
        const isBeyond = is(beyond, self, value, e);
        const condition =
          min === null || max === null ? isBeyond : both(join, isBeyond, is(beyond, tensorOf(min), max, e), e);
        return taken(grad, condition, tensorOf(value), e);
      };
      return {
        self: wants("self") ? taken(grad, inside, self, e) : null,
        min: wants("min") ? bound("lt", min, "and") : null,
        max: wants("max") ? bound("gt", max, "or") : null,
      };
    },
  ),
  ...forAll("maximum max.other", extreme("lt")),
  ...forAll("minimum min.other", extreme("gt")),
  ...forAll("fmax", numberExtreme("ge")),
  ...forAll("fmin", numberExtreme("le")),
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

type ElementwiseRule = (
  grad: TensorMeta,
  args: Call["args"],
  e: Emit,
  wants: Call["wants"],
) => Readonly<Record<string, TensorMeta | null>>;

/** Gives a rule to several ops. */
function forAll(names: string, rule: ElementwiseRule): GradientRules {
  const made = ofResult((grad, args, b, call) => rule(grad, args, new Emit(b), call.wants));
  return Object.fromEntries(names.split(" ").map((name) => [`aten::${name}`, made]));
}

/** The gradient where the condition holds, and 0 elsewhere, for an operand. */
function taken(grad: TensorMeta, condition: TensorMeta, { shape, dtype }: TensorMeta, e: Emit): TensorMeta {
  return summedTo(shape, e.cast(e.where(condition, grad, e.full([], 0, grad.dtype)), dtype), e.b);
}

/** The gradient where the condition does not hold, and 0 elsewhere, for an operand. */
function left(grad: TensorMeta, condition: TensorMeta, { shape, dtype }: TensorMeta, e: Emit): TensorMeta {
  return summedTo(shape, e.cast(e.where(condition, e.full([], 0, grad.dtype), grad), dtype), e.b);
}

/** Compares with a tensor or a number. */
function is(op: string, self: TensorMeta, other: ArgValue, e: Emit): TensorMeta {
  return e.tensor(`aten::${op}.${isTensorMeta(other) ? "Tensor" : "Scalar"}`, { self, other });
}

function both(op: "and" | "or", self: TensorMeta, other: TensorMeta, e: Emit): TensorMeta {
  return e.tensor(`aten::bitwise_${op}.Tensor`, { self, other });
}

/** The larger or smaller operand: equal ones share the gradient, and NaN loses to none. */
function extreme(loses: "lt" | "gt"): ElementwiseRule {
  return (grad, args, e, wants) => {
    const shared = is("eq", tensorOf(args.self), tensorOf(args.other), e);
    const share = e.where(shared, e.mul(grad, { float: 0.5 }), grad);
    const of = (x: TensorMeta, y: TensorMeta): TensorMeta => left(share, is(loses, x, y, e), x, e);
    return {
      self: wants("self") ? of(tensorOf(args.self), tensorOf(args.other)) : null,
      other: wants("other") ? of(tensorOf(args.other), tensorOf(args.self)) : null,
    };
  };
}

/** The same with NaN only where both operands are: of equal ones the first has the gradient. */
function numberExtreme(wins: "ge" | "le"): ElementwiseRule {
  return (grad, args, e, wants) => {
    const [self, other] = [tensorOf(args.self), tensorOf(args.other)];
    const first = both("or", is(wins, self, other, e), e.unary("isnan", other), e);
    return {
      self: wants("self") ? taken(grad, first, self, e) : null,
      other: wants("other") ? left(grad, first, other, e) : null,
    };
  };
}

/** x log(y + shift), which is 0 for x = 0, has no gradient where the logarithm has no value. */
function timesLog(op: string, shift: number): ElementwiseRule {
  return (grad, { self, other: given }, e, wants) => {
    const other = isTensorMeta(given) ? given : e.tensor("aten::scalar_tensor", { s: given, dtype: grad.dtype });
    const ofSelf = (x: TensorMeta): TensorMeta => {
      const none = both("and", is("eq", x, 0, e), is("le", other, -shift, e), e);
      return left(e.tensor(`aten::${op}`, { self: grad, other }), none, x, e);
    };
    const ofOther = (y: TensorMeta): TensorMeta => {
      const slope = e.div(e.mul(grad, self as Operand), shift === 0 ? y : e.add(y, { float: shift }));
      return summedTo(y.shape, e.cast(slope, y.dtype), e.b);
    };
    return { self: wants("self") ? ofSelf(tensorOf(self)) : null, other: wants("other") ? ofOther(other) : null };
  };
}

/** The gradients of fake quantization with respect to its scale and zero point too. */
function byLearned(grad: TensorMeta, args: Call["args"], b: Builder): Record<string, TensorMeta> {
  const op = args.axis === undefined ? "per_tensor" : "per_channel";
  const made = b.call(`aten::_fake_quantize_learnable_${op}_affine_backward` as string, { grad, ...args });
  const [self, scale, zero_point] = made.map(tensorOf);
  return { self: self!, scale: scale!, zero_point: zero_point! };
}
