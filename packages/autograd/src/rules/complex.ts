// Gradients through complex numbers; it is loaded with the first call that takes or returns some.
import type { OpName } from "@pt2/graph";
import { type Builder, isTensorMeta, type TensorMeta } from "@pt2/registry";
import { isComplex } from "../differentiable.ts";
import { type Call, type GradientRule, type GradientRules, ofResult } from "../gradient-rule.ts";
import { derivativeOf } from "./complex-derivatives.ts";
import { conj, conjugateOf, gradientOf, times } from "./complex-operands.ts";
import { COMPLEX_POWERS } from "./complex-power.ts";
import { Emit, tensorOf } from "./support.ts";

type Arg = Call["args"][string];

const conjugated = ofResult((grad, _, b) => ({ self: conj(grad, b) }));

const size = ofResult((grad, { self }, b) => {
  const e = new Emit(b);
  return { self: e.mul(e.unary("sgn", tensorOf(self)), grad) };
});

const product = ofResult((grad, { self, other }, b, call) => ({
  self: gradientOf(call, "self", () => times(grad, conjugateOf(other!, b), b), b),
  other: gradientOf(call, "other", () => times(grad, conjugateOf(self!, b), b), b),
}));

const quotient = ofResult((grad, { other }, b, call) => {
  const over = (x: TensorMeta): TensorMeta =>
    new Emit(b).tensor("aten::div.Tensor", { self: x, other: conjugateOf(other!, b) });
  return {
    self: gradientOf(call, "self", () => over(grad), b),
    other: gradientOf(call, "other", () => new Emit(b).neg(over(times(grad, conj(call.results[0]!, b), b))), b),
  };
});

/** Ops whose rules for real numbers hold for complex ones, beside views: nearly all move elements, and add them. */
const LINEAR =
  /^aten::(gather|index(_select|_put|_add|_copy|\.Tensor)|scatter(\.src|\.value|_add)|(select|slice|diagonal)_scatter|flip|sum\.dim_IntList|mean\.dim|cumsum|cat|constant_pad_nd|linalg_vector_norm)$/;

/**
 * The gradient of x + iy is dL/dx + i dL/dy, as in PyTorch. So a function that has a complex derivative passes on the
 * gradient times the conjugate of that, and one that only moves or adds elements does what it does with real numbers.
 */
const RULES: GradientRules = {
  "aten::complex": ofResult((grad, _, b, call) => ({
    real: gradientOf(call, "real", () => b.tensor("aten::real", { self: grad }), b),
    imag: gradientOf(call, "imag", () => b.tensor("aten::imag", { self: grad }), b),
  })),
  "aten::view_as_complex": ofResult((self, _, b) => ({ self: b.tensor("aten::view_as_real", { self }) })),
  "aten::view_as_real": ofResult((grad, _, b) => {
    // A view of the gradient would need both parts side by side in memory.
    const part = (index: number): TensorMeta => new Emit(b).tensor("aten::select.int", { self: grad, dim: -1, index });
    return { self: b.tensor("aten::complex", { real: part(0), imag: part(1) }) };
  }),
  "aten::real": ofResult((grad, { self }, b) => ({
    self: isComplex(self!) ? b.tensor("aten::complex", { real: grad, imag: new Emit(b).zeros(grad) }) : grad,
  })),
  "aten::imag": ofResult((grad, _, b) => ({
    self: b.tensor("aten::complex", { real: new Emit(b).zeros(grad), imag: grad }),
  })),
  "aten::conj": conjugated,
  "aten::_conj": conjugated,
  "aten::conj_physical": conjugated,
  "aten::clone": ofResult((grad) => ({ self: grad })),
  "aten::_to_copy": ofResult((grad, { self }, b) => ({ self: new Emit(b).cast(grad, tensorOf(self).dtype) })),
  "aten::neg": ofResult((grad, _, b) => ({ self: new Emit(b).neg(grad) })),
  "aten::add.Tensor": sum(1),
  "aten::add.Scalar": sum(1),
  "aten::sub.Tensor": sum(-1),
  "aten::sub.Scalar": sum(-1),
  "aten::mul.Tensor": product,
  "aten::mul.Scalar": product,
  "aten::div.Tensor": quotient,
  "aten::div.Scalar": quotient,
  ...COMPLEX_POWERS,
  "aten::abs": size,
  "aten::absolute": size,
  "aten::sgn": ofResult((grad, { self }, b, { results }) => {
    const e = new Emit(b);
    const z = tensorOf(self);
    const radius = e.unary("abs", z);
    const scaled = e.div(grad, radius);
    const along = e.mul(results[0]!, e.unary("real", e.mul(scaled, conj(results[0]!, b))));
    const zero = e.tensor("aten::eq.Scalar", { self: radius, other: 0 });
    return { self: e.where(zero, e.zeros(z), e.sub(scaled, along)) };
  }),
  "aten::mm": matrices("aten::mm"),
  "aten::bmm": matrices("aten::bmm"),
  "aten::_fft_c2c": ofResult((self, { dim, normalization, forward }, b) => ({
    self: new Emit(b).tensor("aten::_fft_c2c", { self, dim: dim!, normalization: normalization!, forward: !forward }),
  })),
  "aten::_fft_r2c": ofResult((grad, { self, dim, normalization, onesided }, b) => {
    const last = (dim as readonly number[]).at(-1)!;
    const whole = onesided === true ? padded(grad, last, tensorOf(self).shape[last]!, b) : grad;
    const args = { self: whole, dim: dim!, normalization: normalization!, forward: false };
    return { self: new Emit(b).tensor("aten::_fft_c2c", args) };
  }),
  "aten::_fft_c2r": ofResult((grad, { dim, normalization, last_dim_size }, b) => {
    const e = new Emit(b);
    const last = (dim as readonly number[]).at(-1)!;
    const self = e.tensor("aten::_fft_r2c", { self: grad, dim: dim!, normalization: normalization!, onesided: true });
    // All but the ends of the half stand for two numbers of the whole spectrum.
    const twice = Number(last_dim_size) - self.shape[last]!;
    if (twice <= 0) return { self };
    const place = { dim: last, start: 1, end: 1 + twice, step: 1 };
    const src = e.mul(e.tensor("aten::slice.Tensor", { self, ...place }), 2);
    return { self: e.tensor("aten::slice_scatter", { self, src, ...place }) };
  }),
};

/**
 * Returns the gradient rule of an op for complex numbers, given that for real ones and whether the op is a view; null if
 * its gradients are those of its decomposition.
 */
export function complexRuleOf(op: OpName, ofReals: GradientRule | undefined, isView: boolean): GradientRule | null {
  const same = isView || LINEAR.test(op) ? ofReals : undefined;
  const rule = RULES[op] ?? same ?? byDerivative(op);
  if (rule === null) return null;
  const fitting: GradientRule = (call, b) =>
    Object.fromEntries(
      Object.entries(rule(call, b)).map(([name, gradient]) => {
        const operands = [call.args[name] ?? null].flat() as readonly Arg[];
        const fitted = ([gradient].flat() as readonly (TensorMeta | null)[]).map((each, i) => {
          const operand = operands[i] ?? null;
          return each !== null && isTensorMeta(operand) ? fittedTo(operand, each, b) : each;
        });
        return [name, Array.isArray(gradient) ? fitted : fitted[0]!];
      }),
    );
  return rule.firstOnly === true ? Object.assign(fitting, { firstOnly: true } as const) : fitting;
}

/** Converts a gradient to the dtype of its operand; of a complex one, the gradient of a real operand is the real part. */
function fittedTo(operand: TensorMeta, gradient: TensorMeta, b: Builder): TensorMeta {
  const isReal = isComplex(gradient) && !isComplex(operand);
  return new Emit(b).cast(isReal ? b.tensor("aten::real", { self: gradient }) : gradient, operand.dtype);
}

function byDerivative(op: OpName): GradientRule | null {
  const derivative = derivativeOf(op);
  if (derivative === null) return null;
  return ofResult((grad, { self }, b, { results }) => {
    const e = new Emit(b);
    return { self: e.mul(grad, conj(derivative(tensorOf(self), e, results[0]!), b)) };
  });
}

/** For x + αy, or x - αy with the sign -1. */
function sum(sign: 1 | -1): GradientRule {
  return ofResult((grad, { alpha = 1 }, b, call) => {
    const signed = (): TensorMeta => (sign === 1 ? grad : new Emit(b).neg(grad));
    const scaled = (): TensorMeta => (alpha === 1 ? signed() : times(signed(), conjugateOf(alpha, b), b));
    return { self: gradientOf(call, "self", () => grad, b), other: gradientOf(call, "other", scaled, b) };
  });
}

/** For Z = XY: dX = dZ Yᴴ, dY = Xᴴ dZ. */
function matrices(op: "aten::mm" | "aten::bmm"): GradientRule {
  return ofResult((grad, { self, mat2 }, b, { wants }) => {
    const adjoint = (x: Arg): TensorMeta => new Emit(b).transposed(conj(tensorOf(x), b));
    return {
      self: wants("self") ? b.tensor(op, { self: grad, mat2: adjoint(mat2!) }) : null,
      mat2: wants("mat2") ? b.tensor(op, { self: adjoint(self!), mat2: grad }) : null,
    };
  });
}

/** Appends zeros along a dimension. */
function padded(self: TensorMeta, dim: number, to: number, b: Builder): TensorMeta {
  const pad = [...new Array<number>(2 * (self.shape.length - 1 - dim)).fill(0), 0, to - self.shape[dim]!];
  return b.tensor("aten::constant_pad_nd", { self, pad });
}
