import { contiguousStrides, DTYPES, type DType, normalDim, numel } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type WebgpuKernel, webgpuKernel } from "../engine/kernel.ts";
import type { TensorView } from "../engine/tensor-view.ts";
import { areFloats } from "./floats.ts";
import { Rows, rowVectors } from "./rows.ts";

type SoftmaxOp = "aten::softmax.int" | "aten::_softmax" | "aten::log_softmax.int" | "aten::_log_softmax";

/** `softmax` or its logarithm over any dimension: the greatest element, the sum of exponentials, the result. */
function softmaxKernel(ops: readonly SoftmaxOp[], logarithm: boolean): WebgpuKernel {
  return webgpuKernel({
    ops,
    accepts: ({ self, dtype }) => areFloats(self) && isFloatResult(dtype),
    fuses: true,
    prepare(call, args) {
      const given = call.tensor(args.self);
      const { shape } = call.call.results[0] as TensorMeta;
      if (numel(shape) === 0) return;
      const { dtype } = args;
      const x = dtype == null ? given : call.convert(given, dtype);
      const dim = normalDim(args.dim, shape.length);
      const n = shape[dim] ?? 1;
      const outer = (strides: readonly number[]): Pick<TensorView, "shape" | "strides"> => ({
        shape: shape.filter((_, d) => d !== dim),
        strides: strides.filter((_, d) => d !== dim),
      });
      const [from, to] = [outer(x.strides), outer(contiguousStrides(shape))];
      const [step, outStep] = [x.strides[dim] ?? 1, contiguousStrides(shape)[dim] ?? 1];
      const dense = (step === 1 || n === 1) && outStep === 1;
      const vector = dense && rowVectors(x, n, from);
      const rows = new Rows({ count: numel(from.shape), n, dense, vector }, call.adapter);
      const shader = call.shader(logarithm ? "log_softmax" : "softmax").raw("x", x, { vector });
      shader.offsets("first", from).offsets("written", to).u32("step", step).u32("out_step", outStep);
      shader.result("out", 0, { vector });
      const { type } = rows;
      const load = vector ? "x_at4(base + i)" : `x_at(base + i${step === 1 ? "" : " * p.step"})`;
      const value = logarithm ? `(${load} - top) - log_total` : `exp(${load} - top) * scale`;
      // The start is finite, so that a row of minus infinities is 0 / 0 and not infinity minus infinity on the way.
      const body = `let base = first(row);
  let out = written(row);
  var most = ${type}(-3.4028234e38f);
  ${rows.each(`most = max(most, ${load});`)}
  let top = ${rows.max("most")};
  var sum = ${type}();
  ${rows.each(`let e = ${load} - top; sum += select(exp(e), e, ${rows.isNan("e")});`)}
  let total = ${rows.sum("sum")};
  let ${logarithm ? "log_total = log_f32(total)" : "scale = 1f / total"};
  ${rows.each(rows.store("out", "out", outStep === 1 ? "" : " * p.out_step", value))}`;
      rows.run(shader, body);
    },
  });
}

function isFloatResult(dtype: DType | null | undefined): boolean {
  return dtype === null || dtype === undefined || DTYPES[dtype].kind === "float";
}

export const SOFTMAX: readonly WebgpuKernel[] = [
  softmaxKernel(["aten::softmax.int", "aten::_softmax"], false),
  softmaxKernel(["aten::log_softmax.int", "aten::_log_softmax"], true),
];
