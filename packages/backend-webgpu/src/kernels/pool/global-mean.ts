import { numel } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { invocationsFor, sumOf, WorkgroupReduction } from "../cooperative.ts";

/** The mean of each plane: by a workgroup on a GPU, by an invocation where sharing costs more than it gives. */
export function planGlobalMean(call: KernelCall, self: TensorView, rank: number): void {
  const first = self.shape.length - rank;
  const part = (from: number, to?: number): Pick<TensorView, "shape" | "strides"> => ({
    shape: self.shape.slice(from, to),
    strides: self.strides.slice(from, to),
  });
  const planes = numel(self.shape.slice(0, first));
  const shader = call
    .shader("global mean")
    .raw("x", self)
    .offsets("plane", part(0, first))
    .offsets("within", part(first));
  shader.result("out");
  const count = numel(self.shape.slice(first));
  shader.u32("n", count).f32("divisor", count);
  if (call.adapter.software) {
    // Rows are added up by themselves first, which keeps rounding errors small.
    shader.u32("row", self.shape.at(-1)!);
    shader.forEach(
      planes,
      `let base = plane(i);
  var total = 0.0;
  for (var from_row = 0u; from_row < p.n; from_row += p.row) {
    var sum = 0.0;
    for (var k = from_row; k < from_row + p.row; k++) { sum += x_at(base + within(k)); }
    total += sum;
  }
  set_out(i, total / p.divisor);`,
    );
    return;
  }
  const workgroup = new WorkgroupReduction(invocationsFor(count), call.adapter);
  const body = `let base = plane(group);
  var sum = 0f;
  for (var k = lane; k < p.n; k += ${workgroup.lanes}u) { sum += x_at(base + within(k)); }
  let all = workgroup_sum(lane, sum);
  if (lane == 0u) { set_out(group, all / p.divisor); }`;
  workgroup.run(shader, planes, body, workgroup.declare("workgroup_sum", sumOf("f32")));
}
