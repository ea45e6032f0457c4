import type { WebgpuKernel } from "../../engine/kernel.ts";
import { computeType } from "../../wgsl/storage.ts";
import { readLanes, reducedLayout } from "./lanes.ts";

/** `argmax` and `argmin`: the first extreme, or the first NaN. Without `dim`, of the flattened tensor. */
function argReduction(op: string, better: ">" | "<"): WebgpuKernel {
  return {
    ops: [op],
    fuses: true,
    prepare(call) {
      const self = call.tensor("self");
      const layout = reducedLayout(self, call.arg("dim"));
      if (layout.outer === 0) return;
      const type = computeType(self.dtype);
      const [x, best] = type === "bool" ? ["u32(x)", "u32(best)"] : ["x", "best"];
      const shader = readLanes(call.shader(op), self, layout).u32("n", layout.n);
      shader.result("out");
      const nan = type === "f32" ? "is_nan(best)" : "false";
      const wins = type === "f32" ? `x ${better} best || is_nan(x)` : `${x} ${better} ${best}`;
      const body = `let base = outer(i);
  var best = x_at(base);
  var at = 0u;
  for (var k = 1u; k < p.n && !${nan}; k++) {
    let x = x_at(base + inner(k));
    if (${wins}) { best = x; at = k; }
  }
  set_out(i, i32(at));`;
      shader.forEach(layout.outer, body);
    },
  };
}

export const ARG_REDUCTIONS: readonly WebgpuKernel[] = [
  argReduction("aten::argmax", ">"),
  argReduction("aten::argmin", "<"),
];
