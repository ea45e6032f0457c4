import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import { computeType } from "../../wgsl/storage.ts";
import { invocationsFor, maxOf, WorkgroupReduction } from "../cooperative.ts";
import { orderOf } from "../sort/order.ts";
import { isCooperative } from "./cooperative-reduction.ts";
import { readLanes, reducedLayout } from "./reduced-layout.ts";

/** With fewer results than this the invocations of a CPU's subgroup share each. */
const FEW = 16;
const LEAST = "i32(-2147483648)";

/** `argmax` and `argmin`: the first extreme, or the first NaN. Without `dim`, of the flattened tensor. */
function argReduction(op: "aten::argmax" | "aten::argmin", least: boolean): WebgpuKernel {
  return webgpuKernel({
    ops: [op],
    fuses: true,
    prepare(call, args) {
      const self = call.tensor(args.self);
      const layout = reducedLayout(self, args.dim);
      const { outer, n } = layout;
      if (outer === 0) return;
      const { adapter } = call;
      const shares = adapter.software ? outer < FEW && n > FEW * adapter.subgroupSize : isCooperative(layout, adapter);
      const lanes = shares ? (adapter.software ? adapter.subgroupSize || 1 : invocationsFor(n)) : 1;
      const type = computeType(self.dtype);
      const shader = readLanes(call.shader(op), self, layout).u32("n", n);
      shader.result("out");
      // A NaN is the largest of keys, and stays it.
      const reversed = type === "f32" ? "select(~k, k, k == 0x7fffffff)" : "~k";
      const declarations = `${orderOf(self, false)}fn rank(x: ${type}) -> i32 { let k = key(x); return ${least ? reversed : "k"}; }\n`;
      const visit = (lane: string): string => `var best = ${LEAST};
  var at = 2147483647i;
  for (var k = ${lane}; k < p.n; k += ${lanes}u) {
    let x = rank(x_at(base + inner(k)));
    if (x > best || at == 2147483647i) { best = x; at = i32(k); }
  }`;
      if (lanes === 1) {
        shader.forEach(outer, `let base = outer(i);\n  ${visit("0u")}\n  set_out(i, at);`, { declarations });
        return;
      }
      const workgroup = new WorkgroupReduction(lanes, adapter);
      const body = `let base = outer(group);
  ${visit("lane")}
  let top = workgroup_max(lane, best);
  let first = -workgroup_max(lane, select(${LEAST}, -at, best == top));
  if (lane == 0u) { set_out(group, first); }`;
      workgroup.run(shader, outer, body, declarations + workgroup.declare("workgroup_max", maxOf("i32", LEAST)));
    },
  });
}

export const ARG_REDUCTIONS: readonly WebgpuKernel[] = [
  argReduction("aten::argmax", false),
  argReduction("aten::argmin", true),
];
