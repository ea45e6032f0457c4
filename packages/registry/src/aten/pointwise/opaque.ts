import type { DType } from "@pt2/format";
import { broadcastShapes } from "../../broadcast.ts";
import { complexOf, resultType } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { joinParts } from "../support/complex-parts.ts";
import { isComplex, isIntegral } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/**
 * Defines elementwise ops that scalar expressions cannot express: iterations, series, complex results. Most need a
 * kernel.
 */
export const OPAQUE_OPS: readonly OpRecord[] = [
  defineOp("aten::gcd(Tensor self, Tensor other) -> Tensor", {
    validate: ({ self, other }) => wholeProblem(self, other),
    infer: ({ self, other }) => combine(self, other),
  }),
  defineOp("aten::lcm(Tensor self, Tensor other) -> Tensor", {
    validate: ({ self, other }) => wholeProblem(self, other),
    infer: ({ self, other }) => combine(self, other),
  }),
  defineOp("aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)", {
    infer: ({ self }) => [same(self), { ...same(self), dtype: "int32" }],
  }),
  defineOp("aten::isreal(Tensor self) -> Tensor", {
    infer: ({ self }) => ({ dtype: "bool", shape: self.shape }),
    decompose({ self }, b) {
      if (!isComplex(self.dtype)) return emit(b).full(self.shape, true, "bool");
      return emit(b).eq(b.tensor("aten::imag", { self }), 0);
    },
  }),
  defineOp("aten::complex(Tensor real, Tensor imag) -> Tensor", {
    requires: { same: ["real", "imag"], kinds: { real: "float" } },
    complexParts: ["real", "imag"],
    infer: ({ real, imag }) => complex(combine(real, imag)),
    decompose({ real, imag }, b) {
      const { cast, cat, expand, full, unsqueeze } = emit(b);
      const { dtype, shape } = combine(real, imag);
      const columns = [real, imag].map((x) =>
        unsqueeze(x.wrapped === undefined ? expand(cast(x, dtype), shape) : full(shape, x.wrapped, dtype), -1),
      );
      return b.tensor("aten::view_as_complex", { self: cat(columns, shape.length) });
    },
  }),
  defineOp("aten::polar(Tensor abs, Tensor angle) -> Tensor", {
    requires: { same: ["abs", "angle"], kinds: { abs: "float" } },
    infer: ({ abs, angle }) => complex(combine(abs, angle)),
    decompose({ abs, angle }, b) {
      const { mul } = emit(b);
      const re = mul(abs, b.tensor("aten::cos", { self: angle }));
      const im = mul(abs, b.tensor("aten::sin", { self: angle }));
      return joinParts({ re, im }, complex(combine(abs, angle)), b);
    },
  }),
];

function combine(...operands: readonly TensorMeta[]): TensorMeta {
  return { dtype: resultType(operands), shape: broadcastShapes(operands.map((operand) => operand.shape)) };
}

/** Tells what is wrong with operands that are not integers together: bools count as integers beside some. */
function wholeProblem(self: TensorMeta, other: TensorMeta): string | null {
  const isWhole = (dtype: DType): boolean => isIntegral(dtype) && dtype !== "bool";
  if (isWhole(resultType([self, other]))) return null;
  const [name, { dtype }] = isWhole(self.dtype) ? ["other", other] : ["self", self];
  return `argument \`${name}\` must be a tensor of integers, not ${dtype}`;
}

function same({ dtype, shape }: TensorMeta): TensorMeta {
  return { dtype, shape };
}

function complex({ dtype, shape }: TensorMeta): TensorMeta {
  return { dtype: complexOf(dtype), shape };
}
