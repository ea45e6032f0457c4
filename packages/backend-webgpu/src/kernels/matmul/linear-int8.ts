import { numel } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type PlanContext, type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { planInt8Product, wholePanels } from "./int8-words.ts";
import { asMatrices } from "./linear.ts";
import { toResult } from "./plan-matmul.ts";

/**
 * `linear(input[..., K], (weight[N, K] - zero_point) * scale, bias)`, the numbers of `scale` and `zero_point` for each row of the
 * weight and group of its columns. The weight takes a byte for each element.
 */
export const linearInt8: WebgpuKernel = webgpuKernel({
  ops: ["pt2::linear_int8"],
  accepts({ input, weight, scale, zero_point, bias }) {
    const [N, K] = weight.shape as readonly [number, number];
    const groups = groupsOf(weight, scale ?? zero_point);
    const fit = [scale, zero_point].every((each) => each === null || numel(each.shape) === N * groups);
    const isWhole = groups === 1 || (K % groups === 0 && (K / groups) % 4 === 0);
    const isRow = bias === null || (bias.shape.length === 1 && bias.shape[0] === N);
    return input.dtype === "float32" && K > 0 && isRow && isWhole && fit;
  },
  fuses: true,
  async prepare(call, { input, weight, scale, zero_point, bias }) {
    const a = asMatrices(call, call.tensor(input));
    const [N] = weight.shape as readonly [number, number];
    if (numel(a.shape.with(2, N)) === 0) return;
    const groups = groupsOf(weight, scale ?? zero_point);
    const spread = (qparams: TensorMeta | null): TensorView | null =>
      qparams && spreadQparams(call, call.tensor(qparams), N, groups);
    const qparams = { scale: spread(scale), zero: spread(zero_point), groups };
    const product = { a, weight: call.tensor(weight), bias: call.optional(bias), ...qparams };
    await planInt8Product(call, product, toResult);
  },
});

/** The groups that the columns of a weight are in, each with a scale for every row. */
function groupsOf({ shape: [N] }: TensorMeta, qparams: TensorMeta | null): number {
  return qparams === null || N === 0 ? 1 : numel(qparams.shape) / N!;
}

/** Numbers of [N, groups] as [groups, N], with zeros behind up to whole panels. */
function spreadQparams(call: PlanContext, given: TensorView, N: number, groups: number): TensorView {
  const to = { dtype: "float32", shape: [groups, wholePanels(N)] } as const;
  return call.prepared(given, `qparams of ${N}`, to, (ctx, from, out) => {
    const shader = ctx.shader("spread qparams").read("x", from).write("out", out);
    shader.u32("n", N).u32("groups", groups).u32("width", to.shape[1]);
    const body = `let row = i % p.width;
  set_out(i, select(0f, f32(x(min(row, p.n - 1u) * p.groups + i / p.width)), row < p.n));`;
    shader.forEach(numel(to.shape), body);
  });
}
