import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { isTensorMeta } from "../../wrapped.ts";
import { reducedShape, wrapDim } from "../support/dims.ts";
import { toNumber } from "../support/dtypes.ts";
import { emit, type Operand } from "../support/emit.ts";

/** Defines integrals by the trapezoidal rule, with equal steps or given coordinates. */
export const TRAPEZOID_OPS: readonly OpRecord[] = [
  defineOp("aten::trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", {
    validate: ({ dx }) => (typeof dx === "boolean" ? "Currently, we only support dx as a real number." : null),
    decompose: ({ y, dx, dim }, b) => total(b, y, dx, dim),
  }),
  defineOp("aten::trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", {
    decompose: ({ y, x, dim }, b) => total(b, y, x, dim),
  }),
  defineOp("aten::trapz.dx(Tensor y, *, float dx=1, int dim=-1) -> Tensor", {
    decompose: ({ y, dx, dim }, b) => total(b, y, { float: dx }, dim),
  }),
  defineOp("aten::trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", {
    decompose: ({ y, x, dim }, b) => total(b, y, x, dim),
  }),
  defineOp("aten::cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", {
    validate: ({ dx }) => (typeof dx === "boolean" ? "Currently, we only support dx as a real number." : null),
    decompose: ({ y, dx, dim }, b) => running(b, y, dx, dim),
  }),
  defineOp("aten::cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", {
    decompose: ({ y, x, dim }, b) => running(b, y, x, dim),
  }),
];

function total(b: Builder, y: TensorMeta, steps: Scalar | TensorMeta, dim: number): TensorMeta {
  const e = emit(b);
  const at = wrapDim(dim, y.shape.length);
  const size = y.shape[at]!;
  if (size === 0) return e.full(reducedShape(y.shape, [at], false), 0, y.dtype);
  if (isTensorMeta(steps)) return halved(b, e.sum(twiceAreas(b, y, steps, at), [at]));
  // With equal steps, PyTorch adds all elements, which does not overflow, and takes half of both ends from the sum.
  const ends = e.add(e.select(y, at, 0), e.select(y, at, size - 1));
  return e.mul(e.sub(e.sum(y, [at]), e.mul(ends, { float: 0.5 })), steps);
}

function running(b: Builder, y: TensorMeta, steps: Scalar | TensorMeta, dim: number): TensorMeta {
  const at = wrapDim(dim, y.shape.length);
  const cumsum = (areas: TensorMeta): TensorMeta => b.tensor("aten::cumsum", { self: areas, dim: at - y.shape.length });
  if (isTensorMeta(steps)) return halved(b, cumsum(twiceAreas(b, y, steps, at)));
  // Areas of equal steps are halved before they are added: their sums neither wrap nor overflow.
  return cumsum(twiceAreas(b, y, { float: toNumber(steps) / 2 }, at));
}

function halved(b: Builder, x: TensorMeta): TensorMeta {
  return emit(b).div(x, { float: 2 });
}

/** Multiplies each step by the sum of the two neighbors. */
function twiceAreas(b: Builder, y: TensorMeta, steps: Scalar | TensorMeta, at: number): TensorMeta {
  const e = emit(b);
  const size = y.shape[at]!;
  const sums = e.add(e.slice(y, at, 0, Math.max(0, size - 1)), e.slice(y, at, Math.min(1, size), size));
  return e.mul(sums, isTensorMeta(steps) ? stepsOf(b, steps, y.shape.length, at) : (steps satisfies Operand));
}

/** Returns the differences of coordinates, which are those of one axis, or a tensor that broadcasts with `y`. */
function stepsOf(b: Builder, x: TensorMeta, rank: number, at: number): TensorMeta {
  if (x.shape.length !== 1) return b.tensor("aten::diff", { self: x, dim: at - rank });
  const differences = b.tensor("aten::diff", { self: x });
  return emit(b).reshape(differences, [...differences.shape, ...new Array<number>(rank - 1 - at).fill(1)]);
}
