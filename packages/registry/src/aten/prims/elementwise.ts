import { defineOp, type OpRecord } from "../../op.ts";

/** What ops of one tensor are in ATen, where they have other names there. */
const UNARY: Readonly<Record<string, string>> = {
  abs: "aten::abs",
  acos: "aten::acos",
  acosh: "aten::acosh",
  asin: "aten::asin",
  asinh: "aten::asinh",
  atan: "aten::atan",
  atanh: "aten::atanh",
  bessel_i0: "aten::i0",
  bessel_i0e: "aten::special_i0e",
  bessel_i1: "aten::special_i1",
  bessel_i1e: "aten::special_i1e",
  bessel_j0: "aten::special_bessel_j0",
  bessel_j1: "aten::special_bessel_j1",
  bitwise_not: "aten::bitwise_not",
  ceil: "aten::ceil",
  conj_physical: "aten::conj_physical",
  cos: "aten::cos",
  cosh: "aten::cosh",
  digamma: "aten::digamma",
  erf: "aten::erf",
  erf_inv: "aten::erfinv",
  erfc: "aten::erfc",
  erfcx: "aten::special_erfcx",
  exp: "aten::exp",
  exp2: "aten::exp2",
  expm1: "aten::expm1",
  floor: "aten::floor",
  isfinite: "aten::isfinite",
  lgamma: "aten::lgamma",
  log: "aten::log",
  log10: "aten::log10",
  log1p: "aten::log1p",
  log2: "aten::log2",
  ndtri: "aten::special_ndtri",
  neg: "aten::neg",
  reciprocal: "aten::reciprocal",
  round: "aten::round",
  rsqrt: "aten::rsqrt",
  sign: "aten::sign",
  signbit: "aten::signbit",
  sin: "aten::sin",
  sinh: "aten::sinh",
  sqrt: "aten::sqrt",
  tan: "aten::tan",
  tanh: "aten::tanh",
  trunc: "aten::trunc",
};

const BINARY: Readonly<Record<string, string>> = {
  add: "aten::add.Tensor",
  atan2: "aten::atan2",
  bitwise_and: "aten::bitwise_and.Tensor",
  bitwise_or: "aten::bitwise_or.Tensor",
  bitwise_xor: "aten::bitwise_xor.Tensor",
  eq: "aten::eq.Tensor",
  fmax: "aten::fmax",
  fmin: "aten::fmin",
  fmod: "aten::fmod.Tensor",
  gcd: "aten::gcd",
  ge: "aten::ge.Tensor",
  gt: "aten::gt.Tensor",
  hypot: "aten::hypot",
  igamma: "aten::special_gammainc",
  igammac: "aten::special_gammaincc",
  le: "aten::le.Tensor",
  lt: "aten::lt.Tensor",
  maximum: "aten::maximum",
  minimum: "aten::minimum",
  mul: "aten::mul.Tensor",
  ne: "aten::ne.Tensor",
  nextafter: "aten::nextafter",
  remainder: "aten::remainder.Tensor",
  shift_left: "aten::bitwise_left_shift.Tensor",
  shift_right_arithmetic: "aten::bitwise_right_shift.Tensor",
  sub: "aten::sub.Tensor",
  zeta: "aten::special_zeta",
};

/** Defines elementwise ops. Their operands have one dtype, which programs convert to before: ATen's promotion changes nothing. */
export const ELEMENTWISE_PRIMS: readonly OpRecord[] = [
  ...Object.entries(UNARY).map(([name, op]) =>
    defineOp(`prims::${name}(Tensor self) -> Tensor`, { decompose: ({ self }, b) => b.tensor(op, { self }) }),
  ),
  ...Object.entries(BINARY).map(([name, op]) =>
    defineOp(`prims::${name}(Tensor self, Tensor other) -> Tensor`, {
      decompose: ({ self, other }, b) => b.tensor(op, { self, other }),
    }),
  ),
  defineOp("prims::pow(Tensor self, Tensor other) -> Tensor", {
    decompose: ({ self, other }, b) => b.tensor("aten::pow.Tensor_Tensor", { self, exponent: other }),
  }),
  defineOp("prims::convert_element_type(Tensor a, ScalarType dtype) -> Tensor", {
    decompose: ({ a, dtype }, b) => b.tensor("aten::to.dtype", { self: a, dtype }),
  }),
  defineOp("prims::copy_to(Tensor(a!) a, Tensor b) -> Tensor(a!)", {
    decompose: (args, b) => b.tensor("aten::copy", { self: args.a, src: args.b }),
  }),
  defineOp("prims::spherical_bessel_j0(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => b.tensor("aten::special_spherical_bessel_j0", { x: self }),
  }),
  defineOp("prims::cbrt(Tensor self) -> Tensor", {
    decompose({ self }, b) {
      const root = b.tensor("aten::pow.Tensor_Scalar", {
        self: b.tensor("aten::abs", { self }),
        exponent: { float: 1 / 3 },
      });
      return b.tensor("aten::copysign.Tensor", { self: root, other: self });
    },
  }),
  defineOp("prims::div(Tensor self, Tensor other) -> Tensor", {
    decompose({ self, other }, b) {
      const isWhole = !/^(b?float|complex)/.test(self.dtype);
      return b.tensor("aten::div.Tensor_mode", { self, other, rounding_mode: isWhole ? "trunc" : null });
    },
  }),
  defineOp("prims::where(Tensor pred, Tensor a, Tensor b) -> Tensor", {
    decompose: ({ pred, a, b: other }, b) => b.tensor("aten::where.self", { condition: pred, self: a, other }),
  }),
  defineOp("prims::frexp(Tensor self) -> (Tensor mantissa, Tensor exponent)", {
    decompose: ({ self }, b) => b.call("aten::frexp.Tensor", { self }),
  }),
  defineOp("prims::fill(Tensor self, Scalar value) -> Tensor", {
    decompose: ({ self, value }, b) => b.tensor("aten::fill.Scalar", { self, value }),
  }),
];
