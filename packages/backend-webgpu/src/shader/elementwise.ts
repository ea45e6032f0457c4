import type { ElementExpr } from "@pt2/engine";
import type { TensorView } from "../engine/tensor-view.ts";
import { elementwiseDispatch } from "../wgsl/elementwise.ts";
import { bindingOf, fitsBinding } from "./binding.ts";
import { broadcast } from "./geometry.ts";
import type { ShaderHost } from "./shader.ts";

/**
 * Plans one dispatch that writes `expr` of the inputs, each broadcast to `out`; several where the tensors are larger
 * than what the device binds at once. `out` is not empty.
 */
export function planElementwise(
  host: ShaderHost,
  out: TensorView,
  inputs: readonly TensorView[],
  expr: ElementExpr,
): void {
  const { adapter } = host;
  const views = [...inputs.map((input) => broadcast(input, out.shape)), out];
  const dim = out.shape.findIndex((size) => size > 1);
  if (dim >= 0 && !views.every((view) => fitsBinding(view, adapter))) {
    for (const half of [0, 1] as const) {
      const parts = views.map((view) => halfOf(view, dim, half));
      planElementwise(host, parts.at(-1)!, parts.slice(0, -1), expr);
    }
    return;
  }
  const bound = views.map((view) => bindingOf(view, adapter, "elementwise"));
  const walks = views.map(({ strides }, k) => ({ strides, offset: bound[k]!.offset }));
  const { code, params, workgroups } = elementwiseDispatch(
    expr,
    inputs.map(({ dtype }) => dtype),
    { shape: out.shape, walks },
    { f16: adapter.f16, maxWorkgroups: adapter.limits.maxComputeWorkgroupsPerDimension },
  );
  const bindings = bound.map(({ binding }) => binding);
  const block = new Uint8Array(params.buffer);
  const reads = bindings.slice(0, -1);
  host.add({ name: "elementwise", code, reads, writes: bindings.slice(-1), params: block, workgroups });
}

function halfOf(view: TensorView, dim: number, half: 0 | 1): TensorView {
  const size = view.shape[dim]!;
  const first = Math.ceil(size / 2);
  const shape = view.shape.with(dim, half === 0 ? first : size - first);
  return { ...view, shape, offset: view.offset + half * first * view.strides[dim]! };
}
