import { normalDim } from "@pt2/backend/strides";
import type { WebgpuKernel } from "../../engine/kernel.ts";
import { computeType } from "../../wgsl/storage.ts";
import { readLanes, reducedLayout } from "./lanes.ts";

/**
 * `cummax` and `cummin`: the extreme up to each element and where it is, the last of equal ones; a NaN stays. Each
 * invocation goes along one lane. The decomposition takes time and memory that grow with the square of a lane.
 */
function runningExtreme(op: string, better: ">=" | "<="): WebgpuKernel {
  return {
    ops: [op],
    prepare(call) {
      const self = call.tensor("self");
      const [values, indices] = [call.output(0), call.output(1)];
      const dim = normalDim(call.arg<number>("dim"), self.shape.length);
      // A number is a lane of one element.
      const layout = reducedLayout(self, self.shape.length === 0 ? [] : dim);
      const target = reducedLayout(values, self.shape.length === 0 ? [] : dim);
      if (layout.outer * layout.n === 0) return;
      const type = computeType(self.dtype);
      const wins = {
        f32: `is_nan(x) || (!is_nan(best) && x ${better} best)`,
        bool: `u32(x) ${better} u32(best)`,
        i32: `x ${better} best`,
        u32: `x ${better} best`,
      };
      const shader = readLanes(call.shader(op), self, layout).u32("n", layout.n);
      shader.write("values", values).write("indices", indices);
      shader.offsets("to_outer", target.kept).offsets("to_inner", target.reduced);
      shader.forEach(
        layout.outer,
        `let base = outer(i);
  let to = to_outer(i);
  var best = x_at(base);
  var at = 0u;
  for (var k = 0u; k < p.n; k++) {
    let x = x_at(base + inner(k));
    if (${wins[type as keyof typeof wins]}) { best = x; at = k; }
    let o = to + to_inner(k);
    set_values(o, best);
    set_indices(o, i32(at));
  }`,
      );
    },
  };
}

export const RUNNING_EXTREMES: readonly WebgpuKernel[] = [
  runningExtreme("aten::cummax", ">="),
  runningExtreme("aten::cummin", "<="),
];
