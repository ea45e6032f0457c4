import type { AxisTable } from "@pt2/engine/host";
import { numel } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";

/** Resamples one dimension; into the result of the call where `to` is null. */
export function planAxis(
  call: KernelCall,
  from: TensorView,
  dim: number,
  table: AxisTable,
  to: TensorView | null,
): void {
  const { outLength, taps, indices, weights } = table;
  const { shape, strides } = from;
  const shader = call.shader("resize an axis").raw("x", from);
  shader.offsets("before", { shape: shape.slice(0, dim), strides: strides.slice(0, dim) });
  shader.offsets("behind", { shape: shape.slice(dim + 1), strides: strides.slice(dim + 1) });
  shader.read("indices", call.constant("int32", [indices.length], indices));
  shader.read("weights", call.constant("float32", [weights.length], weights));
  if (to === null) shader.result("out");
  else shader.write("out", to);
  const inner = numel(shape.slice(dim + 1));
  shader.u32("length", outLength).u32("taps", taps).u32("inner", inner).u32("step", strides[dim]!);
  shader.forEach(
    numel(shape.with(dim, outLength)),
    `let base = before(i / p.inner / p.length) + behind(i % p.inner);
  let row = i / p.inner % p.length * p.taps;
  var sum = 0.0;
  for (var t = row; t < row + p.taps; t++) { sum = fma(weights(t), x_at(base + u32(indices(t)) * p.step), sum); }
  set_out(i, sum);`,
  );
}
