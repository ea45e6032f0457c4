import { DTYPES, type DType } from "@pt2/format";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { computeType } from "../../wgsl/storage.ts";
import { stacked } from "./matmul.ts";

function isInteger(dtype: DType): boolean {
  return DTYPES[dtype].kind === "int" || DTYPES[dtype].kind === "uint";
}

/** Products of integer matrices, an invocation for each element. */
export const integerMatmul: WebgpuKernel = webgpuKernel({
  ops: ["aten::mm", "aten::bmm"],
  accepts: ({ self }) => isInteger(self.dtype),
  fuses: true,
  prepare(call, { self, mat2 }) {
    const [a, b] = [stackOf(call.tensor(self)), stackOf(call.tensor(mat2))];
    const [batch, m, k] = a.shape as readonly [number, number, number];
    const n = b.shape[2]!;
    const type = computeType(a.dtype);
    const shader = call.shader("matmul of integers").at("a", a).at("b", b).u32("m", m).u32("n", n).u32("k", k);
    shader.result("out");
    const body = `let row = i / p.n % p.m;
  let column = i % p.n;
  let batch = i / p.n / p.m;
  var sum = ${type}(0);
  for (var k = 0u; k < p.k; k++) { sum += a(batch, row, k) * b(batch, k, column); }
  set_out(i, sum);`;
    shader.forEach(batch * m * n, body);
  },
});

/** A matrix as a batch of one; a batch as it is. */
function stackOf(view: TensorView): TensorView {
  return view.shape.length === 2 ? stacked(view) : view;
}
