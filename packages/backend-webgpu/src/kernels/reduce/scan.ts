import { normalDim } from "@pt2/backend/strides";
import { DTYPES, type DType } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { isComplexDtype } from "../../engine/complex-parts.ts";
import type { WebgpuKernel } from "../../engine/kernel.ts";
import { computeType } from "../../wgsl/storage.ts";
import { readLanes, reducedLayout } from "./lanes.ts";

/** In how many parts a GPU cuts lanes that are few and long; it does not where there are many lanes. */
const [PARTS, MANY] = [64, 1024];

/**
 * `cumsum` and `cumprod` along one dimension: an invocation goes along a lane, or along a part of it, when it knows what
 * those in front of it add up to.
 */
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
      const zero = complex ? `${type}(${start}f, 0f)` : `${type}(${start})`;
      const begin = `total = ${zero};${compensated ? " lost = 0f;" : ""}`;
      const walk = (then: string): string => `for (var k = first; k < last; k++) {
    let x = x_at(base + inner(k));
    ${step}
    ${then}
  }`;
      const along = `var total = ${zero};${compensated ? " var lost = 0f;" : ""}`;
      const store = "set_out(to + to_inner(k), total);";
      // Products of parts may leave what numbers there are where the product of all does not.
      if (call.adapter.software || operator === "*" || layout.n < 2 * PARTS || layout.outer >= MANY) {
        shader.forEach(
          layout.outer,
          `let base = outer(i); let to = to_outer(i); let first = 0u; let last = p.n;
  ${along}
  ${walk(store)}`,
        );
        return;
      }
      shader.u32("part", Math.ceil(layout.n / PARTS));
      const body = `let base = outer(group);
  let to = to_outer(group);
  let first = lane * p.part;
  let last = min(first + p.part, p.n);
  ${along}
  ${walk("")}
  parts[lane] = total;
  workgroupBarrier();
  ${begin}
  for (var k = 0u; k < lane; k++) {
    let x = parts[k];
    ${step}
  }
  ${walk(store)}`;
      const declarations = `var<workgroup> parts: array<${type}, ${PARTS}>;\n`;
      shader.forEachGroup(layout.outer, body, { workgroupSize: PARTS, declarations });
    },
  };
}

export const SCANS: readonly WebgpuKernel[] = [scanKernel("aten::cumsum", "+", 0), scanKernel("aten::cumprod", "*", 1)];
