import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import { areFloats } from "../floats.ts";
import { stacked } from "./matmul.ts";
import { declareOperands } from "./operands.ts";

/**
 * `_grouped_mm(self[M, K], mat2[G, K, N], offs[G])`: rows up to `offs[g]` that no group before has taken, times
 * `mat2[g]`. Rows behind the last offset are zero. An invocation computes four columns of a row.
 */
export const groupedMm: WebgpuKernel = webgpuKernel({
  ops: ["aten::_grouped_mm"],
  accepts: ({ self, mat2 }) => areFloats(self, mat2) && self.shape.length === 2 && mat2.shape.length === 3,
  fuses: true,
  prepare(call, { self, mat2, offs }) {
    const a = stacked(call.tensor(self));
    const b = call.tensor(mat2);
    const [m, n] = [a.shape[1]!, b.shape[2]!];
    if (m * n === 0) return;
    const shader = call.shader("grouped matmul").read("ends", call.tensor(offs!));
    const operands = declareOperands(shader, { a, b, bias: null, width: n, first: 0 }, (result, options) =>
      result.result("out", 0, options),
    );
    const across = Math.ceil(n / 4);
    shader.u32("groups", b.shape[0]!).u32("across", across);
    shader.guard({
      code: "backend.index-out-of-range",
      what: (end) => `_grouped_mm: a group cannot end at row ${end} of ${m}, or before the group in front of it`,
    });
    const declarations = `${operands}fn check_ends() {
  var start = 0i;
  for (var g = 0u; g < p.groups; g++) {
    let end = ends(g);
    if (end < start || end > i32(p.m)) { fail(end); return; }
    start = end;
  }
}
`;
    const body = `if (i == 0u) { check_ends(); }
  let row = i / p.across;
  let column = 4u * (i % p.across);
  var group = 0u;
  while (group < p.groups && i32(row) >= ends(group)) { group++; }
  var sum = vec4<f32>();
  if (group < p.groups) {
    for (var k = 0u; k < p.k; k += 4u) { sum += b4x4(group, k, column) * a4(0u, row, k); }
  }
  store(0u, row, column, sum);`;
    shader.forEach(m * across, body, { declarations });
  },
});
