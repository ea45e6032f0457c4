import { type PoolingWindow, windowOf } from "@pt2/engine";
import { DTYPES, numel } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { computeType } from "../../wgsl/storage.ts";
import { adaptiveWindows, axesOf, slidingWindows, type Windows } from "./pool-axes.ts";

/** Windows that slide; `divisor` in place of the number of elements of a mean. */
export function planSliding(call: KernelCall, self: TensorView, window: PoolingWindow, divisor: number | null): void {
  planEachWindow(call, self, slidingWindows(window, self.shape.slice(-window.kernel.length)), divisor);
}

/** Windows of which there are as many as asked for. */
export function planAdaptive(call: KernelCall, self: TensorView, size: readonly number[]): void {
  planEachWindow(call, self, adaptiveWindows(size.length, self.shape.slice(-size.length), size), null);
}

/** One invocation for each result, over its window in row-major order. */
function planEachWindow(call: KernelCall, self: TensorView, windows: Windows, divisor: number | null): void {
  const { shape } = call.call.results[0] as TensorMeta;
  const { rank } = windows;
  const axes = axesOf(rank);
  const first = self.shape.length - rank;
  const isMax = windowOf(call.call.record).reduce === "max";
  const withPositions = call.call.results.length > 1;
  const shader = call.shader(`${isMax ? "max" : "mean"} pool ${rank}d`).raw("x", self);
  shader.offsets("plane", { shape: self.shape.slice(0, first), strides: self.strides.slice(0, first) });
  shader.result("out");
  if (withPositions) shader.result("positions", 1);
  if (divisor !== null) shader.i32("divisor", divisor);
  for (const [d, axis] of axes.entries()) {
    shader.i32(`x_${axis}`, self.strides[first + d]!).u32(`o_${axis}`, shape.at(d - rank)!);
  }
  windows.bind(shader);
  const type = computeType(self.dtype);
  // Along each axis: the position in the input, and in the window so far.
  const loops = axes.map(
    (a, d) => `for (var k_${a} = first_${a}(o_${a}); k_${a} < last_${a}(o_${a}); k_${a} += p.step_${a}) {
    let at_${a} = ${d === 0 ? "base" : `at_${axes[d - 1]}`} + u32(k_${a} * p.x_${a});
    let flat_${a} = ${d === 0 ? "" : `flat_${axes[d - 1]} * p.size_${a} + `}k_${a};`,
  );
  const corner = axes.map((a) => `first_${a}(o_${a})`);
  const start = axes.reduce((flat, a, d) => (d === 0 ? corner[0]! : `(${flat}) * p.size_${a} + ${corner[d]}`), "");
  const { kind, itemsize } = DTYPES[self.dtype];
  const least = kind === "int" ? -(2 ** (8 * Math.min(itemsize, 4) - 1)) : 0;
  const lowest = type === "f32" ? "f32_bits(0xff800000u)" : `${type}(${least})`;
  const wins = type === "f32" ? "value > best || is_nan(value)" : "value > best";
  const [init, visit, done] = isMax
    ? [
        `var best = ${lowest}; var position = ${start};`,
        `if (${wins}) { best = value; position = flat_w; }`,
        `set_out(i, best);${withPositions ? " set_positions(i, position);" : ""}`,
      ]
    : [
        `var sum = ${type}(0);`,
        "sum += value;",
        `set_out(i, sum / ${type}(${divisor === null ? axes.map((a) => `extent_${a}(o_${a})`).join(" * ") : "p.divisor"}));`,
      ];
  const coordinates = [...axes]
    .reverse()
    .map((a) => `let o_${a} = rest % p.o_${a}; rest /= p.o_${a};`)
    .join("\n  ");
  shader.forEach(
    numel(shape),
    `var rest = i;
  ${coordinates}
  let base = plane(rest);
  ${init}
  ${loops.join("\n    ")}
    let value = x_at(at_w);
    ${visit}
  ${"}".repeat(rank)}
  ${done}`,
    { declarations: windows.functions },
  );
}
