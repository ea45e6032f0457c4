import { numel } from "@pt2/format";
import type { Scalar } from "@pt2/registry";
import { type PlanContext, type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { dimensionsOf } from "../../shader/geometry.ts";
import { areFloats } from "../floats.ts";
import { stacked, transposed } from "./matmul.ts";
import { planMatmul } from "./plan-matmul.ts";

/** `linear(input[..., K], weight[N, K], bias[N]?)` */
export const linear: WebgpuKernel = webgpuKernel({
  ops: ["aten::linear"],
  accepts: ({ input, weight, bias }) => areFloats(input, weight, bias) && weight.shape.length === 2,
  fuses: true,
  prepare(call, args) {
    const weight = transposed(call.tensor(args.weight));
    const a = asMatrices(call, call.tensor(args.input));
    return planMatmul(call, { a, b: stacked(weight, a.shape[0]!), bias: call.optional(args.bias) });
  },
});

/** `mm(self[M, K], mat2[K, N])` */
export const mm: WebgpuKernel = webgpuKernel({
  ops: ["aten::mm"],
  accepts: ({ self, mat2 }) => areFloats(self, mat2),
  fuses: true,
  prepare: (call, { self, mat2 }) =>
    planMatmul(call, { a: stacked(call.tensor(self)), b: stacked(call.tensor(mat2)), bias: null }),
});

/** `bmm(self[B, M, K], mat2[B, K, N])` */
export const bmm: WebgpuKernel = webgpuKernel({
  ops: ["aten::bmm"],
  accepts: ({ self, mat2 }) => areFloats(self, mat2),
  fuses: true,
  prepare: (call, { self, mat2 }) => planMatmul(call, { a: call.tensor(self), b: call.tensor(mat2), bias: null }),
});

/** `addmm(self[N], mat1[M, K], mat2[K, N])` with both factors 1: what linear layers become in ATen IR. */
export const addmm: WebgpuKernel = webgpuKernel({
  ops: ["aten::addmm"],
  accepts({ self, mat1, mat2, alpha, beta }) {
    const { shape } = self;
    const one = (value: Scalar): boolean =>
      value === 1 || (typeof value === "object" && "float" in value && value.float === 1);
    return areFloats(self, mat1, mat2) && one(alpha) && one(beta) && shape.length === 1 && shape[0] === mat2.shape[1];
  },
  fuses: true,
  prepare(call, { self, mat1, mat2 }) {
    const [bias, a, b] = [call.tensor(self), call.tensor(mat1), call.tensor(mat2)];
    return planMatmul(call, { a: stacked(a), b: stacked(b), bias });
  },
});

/** Fewer rows than this are not worth being a matrix of a batch. */
const FEW_ROWS = 16;

/** A tensor as [batch, rows, its last dimension], copied where strides cannot express that. */
export function asMatrices(ctx: PlanContext, view: TensorView): TensorView {
  const { shape, strides } = view;
  const [width, step] = [shape.at(-1)!, strides.at(-1)!];
  const lead = dimensionsOf({ shape: shape.slice(0, -1), strides: strides.slice(0, -1) });
  const rows = numel(shape.slice(0, -1));
  if (rows === 0 || lead.length <= 1) {
    return { ...view, shape: [1, rows, width], strides: [0, lead[0]?.stride ?? 0, step] };
  }
  if (lead.length === 2 && lead[1]!.size >= FEW_ROWS) {
    const [batch, row] = lead as readonly [(typeof lead)[number], (typeof lead)[number]];
    return { ...view, shape: [batch.size, row.size, width], strides: [batch.stride, row.stride, step] };
  }
  const dense = ctx.dense(view);
  return { ...dense, shape: [1, rows, width], strides: [0, width, 1] };
}
