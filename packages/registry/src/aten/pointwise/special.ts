import { broadcastShapes } from "../../broadcast.ts";
import { DEFAULT_DTYPE, resultType } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { wrapNumber } from "../../wrapped.ts";
import { check } from "../support/check.ts";
import { range } from "../support/dims.ts";
import { isIntegral } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

const POLYNOMIALS = [
  "chebyshev_polynomial_t",
  "chebyshev_polynomial_u",
  "chebyshev_polynomial_v",
  "chebyshev_polynomial_w",
  "shifted_chebyshev_polynomial_t",
  "shifted_chebyshev_polynomial_u",
  "shifted_chebyshev_polynomial_v",
  "shifted_chebyshev_polynomial_w",
  "hermite_polynomial_h",
  "hermite_polynomial_he",
  "laguerre_polynomial_l",
  "legendre_polynomial_p",
] as const;

/** Defines special functions that are iterations rather than expressions. They need a kernel. */
export const SPECIAL_OPS: readonly OpRecord[] = [
  ...[
    "i0",
    "special_i0e",
    "special_i1",
    "special_i1e",
    "special_ndtri",
    "special_log_ndtr",
    "special_erfcx",
    "special_bessel_j0",
    "special_bessel_j1",
    "special_bessel_y0",
    "special_bessel_y1",
    "special_modified_bessel_k0",
    "special_modified_bessel_k1",
  ].map((name) => defineOp(`aten::${name}(Tensor self) -> Tensor`, { infer: ({ self }) => floating(self) })),
  ...["special_airy_ai", "special_scaled_modified_bessel_k0", "special_scaled_modified_bessel_k1"].map((name) =>
    defineOp(`aten::${name}(Tensor x) -> Tensor`, { infer: ({ x }) => floating(x) }),
  ),
  ...(
    [
      ["special_i0", "i0"],
      ["special_modified_bessel_i0", "i0"],
      ["special_modified_bessel_i1", "special_i1"],
    ] as const
  ).map(([name, same]) =>
    defineOp(`aten::${name}(Tensor self) -> Tensor`, {
      decompose: ({ self }, b) => b.tensor(`aten::${same}`, { self }),
    }),
  ),
  defineOp("aten::special_spherical_bessel_j0(Tensor x) -> Tensor", {
    // This is sin(x) / x; `sinc` multiplies its argument by π.
    decompose: ({ x }, b) => {
      const e = emit(b);
      const near = b.tensor("aten::sinc", { self: e.div(x, { float: Math.PI }) });
      return e.where(b.tensor("aten::isinf", { self: x }), { float: 0 }, near);
    },
  }),
  ...(["igamma", "igammac"] as const).flatMap((name) => [
    defineOp(`aten::${name}(Tensor self, Tensor other) -> Tensor`, {
      infer: ({ self, other }) => combined(self, other),
    }),
    defineOp(`aten::special_gammainc${name.slice(6)}(Tensor self, Tensor other) -> Tensor`, {
      decompose: ({ self, other }, b) => b.tensor(`aten::${name}`, { self, other }),
    }),
  ]),
  defineOp("aten::special_zeta(Tensor self, Tensor other) -> Tensor", {
    infer: ({ self, other }) => combined(self, other),
  }),
  defineOp("aten::special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor", {
    decompose: ({ self, other }, b) => b.tensor("aten::special_zeta", { self, other: wrapNumber(other) }),
  }),
  defineOp("aten::special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor", {
    decompose: ({ self, other }, b) => b.tensor("aten::special_zeta", { self: wrapNumber(self), other }),
  }),
  ...POLYNOMIALS.flatMap((name) => [
    defineOp(`aten::special_${name}(Tensor x, Tensor n) -> Tensor`, { infer: ({ x, n }) => combined(x, n) }),
    defineOp(`aten::special_${name}.n_scalar(Tensor x, Scalar n) -> Tensor`, {
      decompose: ({ x, n }, b) => b.tensor(`aten::special_${name}`, { x, n: wrapNumber(n as Scalar) }),
    }),
    defineOp(`aten::special_${name}.x_scalar(Scalar x, Tensor n) -> Tensor`, {
      decompose: ({ x, n }, b) => b.tensor(`aten::special_${name}`, { x: wrapNumber(x as Scalar), n }),
    }),
  ]),
  defineOp("aten::polygamma(int n, Tensor self) -> Tensor", {
    decompose({ n, self }, b) {
      check(n >= 0, "polygamma(n, x) does not support negative n.");
      if (n === 0) return b.tensor("aten::digamma", { self });
      const zeta = b.tensor("aten::special_zeta", { self: wrapNumber({ float: n + 1 }), other: self });
      let factor = n % 2 === 0 ? -1 : 1;
      for (let i = 2; i <= Math.min(n, 200); i++) factor *= i;
      return emit(b).mul(zeta, { float: factor });
    },
  }),
  defineOp("aten::special_polygamma(int n, Tensor self) -> Tensor", {
    decompose: ({ n, self }, b) => b.tensor("aten::polygamma", { n, self }),
  }),
  ...["mvlgamma", "special_multigammaln"].map((name) =>
    defineOp(`aten::${name}(Tensor self, int p) -> Tensor`, {
      decompose({ self, p }, b) {
        const e = emit(b);
        const x = isIntegral(self.dtype) ? e.cast(self, DEFAULT_DTYPE) : self;
        let sum: TensorMeta | null = null;
        for (const j of range(p)) {
          const term = b.tensor("aten::lgamma", { self: e.sub(x, { float: j / 2 }) });
          sum = sum === null ? term : e.add(sum, term);
        }
        check(sum !== null, "p has to be greater than or equal to 1");
        return e.add(sum, { float: ((p * (p - 1)) / 4) * Math.log(Math.PI) });
      },
    }),
  ),
];

function combined(...operands: readonly TensorMeta[]): TensorMeta {
  const dtype = resultType(operands);
  return floating({ dtype, shape: broadcastShapes(operands.map(({ shape }) => shape)) });
}

function floating({ dtype, shape }: TensorMeta): TensorMeta {
  return { dtype: isIntegral(dtype) ? DEFAULT_DTYPE : dtype, shape };
}
