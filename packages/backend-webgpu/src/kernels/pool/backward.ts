import { poolingWindow, windowOf, withinReach } from "@pt2/engine";
import { numel } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import { areFloats } from "../floats.ts";
import { adaptiveWindows, axesOf, slidingWindows, type Windows } from "./pool-axes.ts";

/** The tensors of a gradient of a pooling. */
interface GradientArgs {
  readonly grad_output: TensorMeta;
  readonly self: TensorMeta;
}

const accepts = ({ grad_output, self }: GradientArgs): boolean => areFloats(grad_output, self);

/** Gradients of means over windows: every input gathers its share of the windows that it is in. */
export const POOL_GRADIENTS: readonly WebgpuKernel[] = [
  webgpuKernel({
    ops: ["aten::avg_pool2d_backward"],
    accepts,
    fuses: true,
    prepare(call, args) {
      const size = call.tensor(args.self).shape.slice(-2);
      const windows = slidingWindows(withinReach(poolingWindow(windowOf(call.call.record), args), size), size);
      const covering = (a: string): string => `fn low_${a}(k: i32) -> i32 {
  return max(k + p.pad_${a} - p.reach_${a} + p.stride_${a}, 0) / p.stride_${a};
}
fn high_${a}(k: i32) -> i32 { return (k + p.pad_${a}) / p.stride_${a}; }
`;
      planGradient(call, args, windows, covering, args.divisor_override);
    },
  }),
  webgpuKernel({
    ops: ["aten::_adaptive_avg_pool2d_backward"],
    accepts,
    fuses: true,
    prepare(call, args) {
      const [input, output] = [args.self, args.grad_output].map((tensor) => call.tensor(tensor).shape.slice(-2));
      const covering = (a: string): string => `fn low_${a}(k: i32) -> i32 { return k * p.count_${a} / p.size_${a}; }
fn high_${a}(k: i32) -> i32 { return (k + 1) * p.count_${a} / p.size_${a}; }
`;
      planGradient(call, args, adaptiveWindows(2, input!, output!), covering, null);
    },
  }),
];

/** `covering` is WGSL of the first and the last window that input `k` may be in, along an axis. */
function planGradient(
  call: KernelCall,
  args: GradientArgs,
  windows: Windows,
  covering: (axis: string) => string,
  divisor: number | null,
): void {
  const grads = call.tensor(args.grad_output);
  const { shape } = call.tensor(args.self);
  const axes = axesOf(windows.rank);
  const first = shape.length - windows.rank;
  const shader = call.shader("mean pool 2d, backward").raw("grads", grads);
  shader.offsets("plane", { shape: grads.shape.slice(0, first), strides: grads.strides.slice(0, first) });
  shader.result("out");
  windows.bind(shader);
  for (const [d, a] of axes.entries()) {
    shader.i32(`o_${a}`, grads.shape[first + d]!).u32(`g_${a}`, grads.strides[first + d]!);
  }
  if (divisor !== null) shader.f32("divisor", divisor);
  const count = divisor === null ? "f32(extent_h(u32(o_h)) * extent_w(u32(o_w)))" : "p.divisor";
  const loop = (
    a: string,
  ): string => `for (var o_${a} = low_${a}(k_${a}); o_${a} <= min(high_${a}(k_${a}), p.o_${a} - 1); o_${a}++) {
    if (k_${a} < first_${a}(u32(o_${a})) || k_${a} >= last_${a}(u32(o_${a}))) { continue; }`;
  shader.forEach(
    numel(shape),
    `let k_w = i32(i % u32(p.size_w));
  let k_h = i32(i / u32(p.size_w) % u32(p.size_h));
  let base = plane(i / u32(p.size_w) / u32(p.size_h));
  var sum = 0f;
  ${axes.map(loop).join("\n  ")}
    sum += grads_at(base + u32(o_h) * p.g_h + u32(o_w) * p.g_w) / ${count};
  ${"}".repeat(axes.length)}
  set_out(i, sum);`,
    { declarations: windows.functions + axes.map(covering).join("") },
  );
}
