import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { isTensorMeta } from "../../wrapped.ts";
import { check } from "../support/check.ts";
import { range, wrapDim } from "../support/dims.ts";
import { type Emit, emit, type Operand } from "../support/emit.ts";

/** Defines `torch.gradient`: central differences, one tensor per dimension. */
export const GRADIENT_ESTIMATE_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]",
    {
      decompose: ({ self, spacing, dim, edge_order }, b) => slopes(b, self, spacing ?? 1, dim, edge_order),
    },
  ),
  defineOp("aten::gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]", {
    decompose: ({ self, spacing, dim, edge_order }, b) => slopes(b, self, spacing, dim, edge_order),
  }),
  defineOp("aten::gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]", {
    decompose: ({ self, dim, edge_order }, b) => slopes(b, self, 1, dim, edge_order),
  }),
  defineOp(
    "aten::gradient.scalarrayint(Tensor self, *, Scalar[] spacing, int? dim=None, int edge_order=1) -> Tensor[]",
    {
      decompose: ({ self, spacing, dim, edge_order }, b) => slopes(b, self, spacing, dim, edge_order),
    },
  ),
  defineOp("aten::gradient.scalarrayarray(Tensor self, *, Scalar[] spacing, int[] dim, int edge_order=1) -> Tensor[]", {
    decompose: ({ self, spacing, dim, edge_order }, b) => slopes(b, self, spacing, dim, edge_order),
  }),
  defineOp(
    "aten::gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[]",
    {
      decompose: ({ self, spacing, dim, edge_order }, b) => slopes(b, self, spacing, dim, edge_order),
    },
  ),
  defineOp("aten::gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]", {
    decompose: ({ self, spacing, dim, edge_order }, b) => slopes(b, self, spacing, dim, edge_order),
  }),
];

type Spacing = Scalar | readonly (Scalar | TensorMeta)[];

function slopes(
  b: Builder,
  self: TensorMeta,
  spacing: Spacing,
  dim: number | readonly number[] | null,
  edgeOrder: number,
): readonly TensorMeta[] {
  check(edgeOrder === 1 || edgeOrder === 2, "torch.gradient only supports edge_order=1 and edge_order=2.");
  const rank = self.shape.length;
  const dims = dim === null ? range(rank) : [dim].flat().map((d) => wrapDim(d, rank));
  check(new Set(dims).size === dims.length, "torch.gradient expects each dim to appear once in the list of dims");
  return dims.map((d, i) => {
    const step: Scalar | TensorMeta = Array.isArray(spacing) ? spacing[i] : (spacing as Scalar);
    check(self.shape[d]! > edgeOrder, "torch.gradient expected each dimension size to be at least edge_order+1");
    return isTensorMeta(step) ? alongPlaces(b, self, step, d, edgeOrder) : alongSteps(b, self, step, d, edgeOrder);
  });
}

/** Differentiates with equal steps: (f[i+1] - f[i-1]) / 2h in the interior. */
function alongSteps(b: Builder, f: TensorMeta, h: Scalar, d: number, edgeOrder: number): TensorMeta {
  const e = emit(b);
  const n = f.shape[d]!;
  const at = (start: number, end: number): TensorMeta => e.slice(f, d, start, end);
  const one = (i: number): TensorMeta => at(i, i + 1);
  const inner = e.div(e.sub(at(2, n), at(0, n - 2)), e.mul(e.full([], 2, "float32"), h));
  const edge = (x: TensorMeta, y: TensorMeta, z: TensorMeta | null): TensorMeta => {
    if (z === null) return e.div(e.sub(y, x), h);
    const sum = e.add(e.mul(x, { float: -1.5 }), e.sub(e.mul(y, { float: 2 }), e.mul(z, { float: 0.5 })));
    return e.div(sum, h);
  };
  const second = edgeOrder === 2;
  const first = edge(one(0), one(1), second ? one(2) : null);
  const last = second ? e.neg(edge(one(n - 1), one(n - 2), one(n - 3))) : edge(one(n - 2), one(n - 1), null);
  return e.cat([first, inner, last], d);
}

/** Differentiates with given coordinates: each slope is that of the parabola through three points. */
function alongPlaces(b: Builder, f: TensorMeta, places: TensorMeta, d: number, edgeOrder: number): TensorMeta {
  const e = emit(b);
  const n = f.shape[d]!;
  const after = new Array<number>(f.shape.length - 1 - d).fill(1);
  const steps = b.tensor("aten::diff", { self: places });
  const column = (x: TensorMeta): TensorMeta => e.reshape(x, [x.shape[0]!, ...after]);
  const step = (start: number, end: number): TensorMeta => column(e.slice(steps, 0, start, end));
  const at = (start: number, end: number): TensorMeta => e.slice(f, d, start, end);
  const [left, right] = [step(0, n - 2), step(1, n - 1)];
  const inner = parabola(e, [at(0, n - 2), at(1, n - 1), at(2, n)], left, right, 1);
  if (edgeOrder === 1) {
    const edge = (i: number): TensorMeta => e.div(e.sub(at(i + 1, i + 2), at(i, i + 1)), step(i, i + 1));
    return e.cat([edge(0), inner, edge(n - 2)], d);
  }
  const three = (i: number, where: 0 | 2): TensorMeta =>
    parabola(e, [at(i, i + 1), at(i + 1, i + 2), at(i + 2, i + 3)], step(i, i + 1), step(i + 1, i + 2), where);
  return e.cat([three(0, 0), inner, three(n - 3, 2)], d);
}

/** Returns the slope at one of three points that are `p` and `q` apart. */
function parabola(
  e: Emit,
  [x, y, z]: readonly [TensorMeta, TensorMeta, TensorMeta],
  p: TensorMeta,
  q: TensorMeta,
  where: 0 | 1 | 2,
): TensorMeta {
  const both = e.add(p, q);
  const twice = (u: TensorMeta): TensorMeta => e.mul(u, 2);
  const weights: readonly Operand[] = [
    [e.neg(e.add(twice(p), q)), both, e.neg(p)],
    [e.neg(q), e.sub(q, p), p],
    [q, e.neg(both), e.add(twice(q), p)],
  ][where]!;
  const scales = [e.mul(p, both), e.mul(p, q), e.mul(q, both)];
  const [a, c, g] = [x, y, z].map((value, i) => e.mul(value, e.div(weights[i]!, scales[i]!)));
  return e.add(e.add(a!, c!), g!);
}
