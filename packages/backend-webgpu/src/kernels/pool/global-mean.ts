import { elementCount } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import type { Place } from "../../engine/place.ts";
import { computeType } from "../../wgsl/storage.ts";

/** Invocations that share a plane on a GPU. */
const GROUP = 64;

/** Whether a pooling is the mean of everything, as at the end of most networks. */
export function isGlobalMean(call: KernelCall, size: readonly number[]): boolean {
  const { name } = call.call.record;
  const float = computeType(call.tensor("self").dtype) === "f32";
  return float && name.includes("avg") && size.every((n) => n === 1);
}

/** The mean of each plane: by a workgroup on a GPU, by an invocation where sharing costs more than it gives. */
export function planGlobalMean(call: KernelCall, self: Place, rank: number): void {
  const first = self.shape.length - rank;
  const part = (from: number, to?: number): Pick<Place, "shape" | "strides"> => ({
    shape: self.shape.slice(from, to),
    strides: self.strides.slice(from, to),
  });
  const planes = elementCount(self.shape.slice(0, first));
  const shader = call
    .shader("global mean")
    .raw("x", self)
    .offsets("plane", part(0, first))
    .offsets("within", part(first));
  shader.result("out");
  const count = elementCount(self.shape.slice(first));
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
  if (planes === 0) return;
  const x = Math.min(planes, call.adapter.limits.maxComputeWorkgroupsPerDimension);
  shader.u32("planes", planes);
  shader.dispatch(
    [x, Math.ceil(planes / x), 1],
    `var<workgroup> sums: array<f32, ${GROUP}>;
@compute @workgroup_size(${GROUP})
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  let i = id.y * groups.x + id.x;
  let base = plane(min(i, p.planes - 1u));
  var sum = 0.0;
  for (var k = local; k < p.n; k += ${GROUP}u) { sum += x_at(base + within(k)); }
  sums[local] = sum;
  for (var half = ${GROUP / 2}u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (local < half) { sums[local] += sums[local + half]; }
  }
  if (local == 0u && i < p.planes) { set_out(i, sums[0] / p.divisor); }
}`,
  );
}
