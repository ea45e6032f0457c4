import { inParts, partOf } from "@pt2/engine";
import { type PlanContext, type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { planMatmul } from "./plan-matmul.ts";

/**
 * Products of complex matrices, as one of real ones: a row of the left matrix is 2k numbers as it lies in memory, a row of
 * the result is 2n, and the right matrix becomes 2k × 2n, in which a number x + iy is [[x, y], [-y, x]].
 */
export const complexMatmul: WebgpuKernel = webgpuKernel({
  ops: ["aten::bmm"],
  complex: true,
  prepare(call, { self, mat2 }) {
    const [a, b] = [call.tensor(self), call.tensor(mat2)];
    const out = call.output();
    const [batch, k, n] = b.shape as readonly [number, number, number];
    const right = call.prepared(b, "complex matrix", { dtype: "float32", shape: [batch, k, 2, n, 2] }, fillBlocks);
    const product = { a: rowsOf(call, a), b: asMatrices(right, [batch, 2 * k, 2 * n]), bias: null };
    return planMatmul(call, product, (shader, options) => shader.write("out", inParts(out), options));
  },
});

/** A stack of complex matrices as real ones with rows twice as long. */
function rowsOf(ctx: PlanContext, view: TensorView): TensorView {
  const [, , k] = view.shape as readonly [number, number, number];
  const side = k === 1 || view.strides[2] === 1 ? view : ctx.dense(view);
  const { shape, strides, ...rest } = inParts(side);
  return { ...rest, shape: [shape[0]!, shape[1]!, 2 * k], strides: [strides[0]!, strides[1]!, 1] };
}

function asMatrices(view: TensorView, [batch, rows, columns]: readonly [number, number, number]): TensorView {
  return { ...view, shape: [batch, rows, columns], strides: [rows * columns, columns, 1] };
}

function fillBlocks(ctx: PlanContext, from: TensorView, to: TensorView): void {
  const block = (row: 0 | 1, column: 0 | 1): TensorView => {
    const [batch, k, down, n, across] = to.strides as readonly [number, number, number, number, number];
    return { ...to, shape: from.shape, strides: [batch, k, n], offset: to.offset + row * down + column * across };
  };
  const [re, im] = [partOf(from, 0), partOf(from, 1)];
  const x = { kind: "input", dtype: "float32", index: 0 } as const;
  ctx.copy(re, block(0, 0));
  ctx.copy(im, block(0, 1));
  ctx.elementwise(block(1, 0), [im], { kind: "unary", dtype: "float32", fn: "neg", x });
  ctx.copy(re, block(1, 1));
}
