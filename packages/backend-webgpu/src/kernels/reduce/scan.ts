import { normalDim } from "@pt2/backend/strides";
import { DTYPES, type DType } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { isComplexDtype } from "../../engine/complex-parts.ts";
import type { WebgpuKernel } from "../../engine/kernel.ts";
import { computeType } from "../../wgsl/storage.ts";
import { readLanes, reducedLayout } from "./lanes.ts";

/** `cumsum` and `cumprod` along one dimension; each invocation goes along one lane. */
function scanKernel(op: string, operator: "+" | "*", start: number): WebgpuKernel {
  return {
    ops: [op],
    complex: true,
    prepare(call) {
      const { dtype } = call.call.results[0] as TensorMeta;
      const complex = isComplexDtype(dtype);
      const wide: DType = complex ? dtype : DTYPES[dtype].kind === "float" ? "float32" : "int32";
      const self = call.convert(call.tensor("self"), wide);
      const out = call.output();
      const dim = normalDim(call.arg<number>("dim"), self.shape.length);
      const layout = reducedLayout(self, dim);
      if (layout.outer * layout.n === 0) return;
      const target = reducedLayout(out, dim);
      const shader = readLanes(call.shader(op), self, layout).u32("n", layout.n).write("out", out);
      shader.offsets("to_outer", target.kept).offsets("to_inner", target.reduced);
      const type = computeType(wide);
      // A second float carries what the first one loses (Kahan), so that long sums stay exact to the last digits.
      const compensated = operator === "+" && type === "f32";
      const step = compensated
        ? "let y = x - lost; let t = total + y; lost = select((t - total) - y, 0f, is_inf(t) || is_nan(t)); total = t;"
        : `total = ${complex && operator === "*" ? "mul_complex(total, x)" : `total ${operator} x`};`;
      shader.forEach(
        layout.outer,
        `let base = outer(i);
  let to = to_outer(i);
  var total = ${complex ? `${type}(${start}f, 0f)` : `${type}(${start})`};
  ${compensated ? "var lost = 0f;" : ""}
  for (var k = 0u; k < p.n; k++) {
    let x = x_at(base + inner(k));
    ${step}
    set_out(to + to_inner(k), total);
  }`,
      );
    },
  };
}

export const SCANS: readonly WebgpuKernel[] = [scanKernel("aten::cumsum", "+", 0), scanKernel("aten::cumprod", "*", 1)];
