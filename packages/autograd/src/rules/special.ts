import { describeNode } from "@pt2/graph";
import { isTensorMeta, type TensorMeta } from "@pt2/registry";
import { autogradError } from "../autograd-errors.ts";
import { type Call, type GradientRule, type GradientRules, ofResult } from "../gradient-rule.ts";
import { summedTo } from "../scalar-gradient.ts";
import { Emit, tensorOf } from "./support.ts";

/** Functions that no gradient flows through in PyTorch, where it has a derivative of none. */
const CONSTANT =
  `airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v
  chebyshev_polynomial_w hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p modified_bessel_i0
  modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1
  shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w
  spherical_bessel_j0`.split(/\s+/);

/** Functions that few networks have, and reductions of segments. PyTorch has no gradient of what is refused here either. */
export const SPECIAL_RULES: GradientRules = {
  "aten::special_i1": bessel((e, x, y) => e.sub(e.unary("i0", x), e.div(y, x))),
  "aten::special_i1e": bessel((e, x, y) =>
    e.sub(e.unary("special_i0e", x), e.mul(y, e.add(e.unary("sgn", x), e.unary("reciprocal", x)))),
  ),
  "aten::igamma": ofOther("igamma", (e, a, x) => gammaDensity(e, a, x)),
  "aten::igammac": ofOther("igammac", (e, a, x) => e.neg(gammaDensity(e, a, x))),
  "aten::special_zeta": ofOther("special_zeta", (e, s, q) => {
    const next = e.tensor("aten::special_zeta", { self: e.add(s, { float: 1 }), other: q });
    return e.neg(e.mul(next, s));
  }),
  "aten::frexp.Tensor": ofResult((grad, _, b, { results: [, exponent] }) => {
    const e = new Emit(b);
    return { self: e.div(grad, e.unary("exp2", e.cast(exponent!, grad.dtype))) };
  }),
  "aten::segment_reduce": ofResult(ofSegments),
  "aten::histc": () => ({}),
  ...Object.fromEntries(CONSTANT.map((name): [string, GradientRule] => [`aten::special_${name}`, () => ({})])),
};

/** Bessel functions of order one, whose derivative at 0 is the limit. */
function bessel(derivative: (e: Emit, x: TensorMeta, y: TensorMeta) => TensorMeta): GradientRule {
  return ofResult((grad, { self }, b, { results }) => {
    const e = new Emit(b);
    const x = tensorOf(self);
    const isZero = e.tensor("aten::eq.Scalar", { self: x, other: 0 });
    const half = e.full([], 0.5, x.dtype);
    const slope = e.tensor("aten::where.self", { condition: isZero, self: half, other: derivative(e, x, results[0]!) });
    return { self: e.mul(grad, slope) };
  });
}

/** A function of two numbers with a derivative by the second one. */
function ofOther(name: string, derivative: (e: Emit, self: TensorMeta, other: TensorMeta) => TensorMeta): GradientRule {
  return ofResult((grad, args, b, call) => {
    const [self, other] = [tensorOf(args.self), tensorOf(args.other)];
    if (call.wants("self")) throw refused(`aten::${name} by its first argument`, call);
    const e = new Emit(b);
    return { other: summedTo(other.shape, e.mul(grad, derivative(e, self, other)), b) };
  });
}

/** The derivative of the lower incomplete gamma function of shape `a`: x^(a - 1) e^-x / Γ(a). */
function gammaDensity(e: Emit, a: TensorMeta, x: TensorMeta): TensorMeta {
  const power = e.mul(e.unary("log", x), e.sub(a, { float: 1 }));
  return e.unary("exp", e.sub(e.sub(power, x), e.unary("lgamma", a)));
}

/** Each element has the gradient of its segment; of largest and smallest ones those that are equal have a part each. */
function ofSegments(grad: TensorMeta, args: Call["args"], b: Emit["b"], call: Call): { readonly data: TensorMeta } {
  const { reduce, lengths = null, offsets = null } = args;
  const data = tensorOf(args.data);
  const given = lengths ?? offsets;
  if (reduce === "prod" || !isTensorMeta(given) || given.shape.length !== 1) {
    throw refused(`aten::segment_reduce of ${reduce === "prod" ? "products" : "segments in rows"}`, call);
  }
  const e = new Emit(b);
  const [count] = data.shape as [number];
  const segments = grad.shape[0]!;
  const ends = isTensorMeta(lengths)
    ? e.tensor("aten::cumsum", { self: lengths, dim: 0 })
    : e.tensor("aten::slice.Tensor", { self: given, dim: 0, start: 1, end: segments + 1, step: 1 });
  const positions = e.tensor("aten::arange.start_step", { start: 0, end: count, step: 1, dtype: ends.dtype });
  const index = e.tensor("aten::searchsorted.Tensor", { sorted_sequence: ends, self: positions, right: true });
  const of = (self: TensorMeta): TensorMeta => e.tensor("aten::index_select", { self, dim: 0, index });
  const perSegment = (self: TensorMeta): TensorMeta => e.reshape(self, [segments, ...grad.shape.slice(1).map(() => 1)]);
  if (reduce === "sum") return { data: of(grad) };
  if (reduce === "mean") {
    const ones = e.full([count], 1, data.dtype);
    const sizes = e.tensor("aten::index_add", { self: e.full([segments], 0, data.dtype), dim: 0, index, source: ones });
    return { data: of(e.div(grad, perSegment(sizes))) };
  }
  const isTaken = e.tensor("aten::eq.Tensor", { self: data, other: of(call.results[0]!) });
  const ones = e.cast(isTaken, data.dtype);
  const taken = e.tensor("aten::index_add", { self: e.zeros(grad), dim: 0, index, source: ones });
  const none = e.full([], 0, data.dtype);
  return { data: e.tensor("aten::where.self", { condition: isTaken, self: of(e.div(grad, taken)), other: none }) };
}

function refused(what: string, { node }: Call): Error {
  return autogradError("autograd.no-gradient", {
    what: `${what} has no gradient rule, and the loss depends on it`,
    ...(node && { where: describeNode(node) }),
    advice: "Detach what it is called with.",
  });
}
