import type { AxisTable } from "@pt2/engine/host";
import { numel } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";

/** Resamples all dimensions in one go: a copy where each result is of one input, else a weighted sum of its inputs. */
export function planDirectResize(
  call: KernelCall,
  self: TensorView,
  tables: readonly AxisTable[],
  copies: boolean,
): void {
  const { shape } = call.call.results[0] as TensorMeta;
  const axes = ["d", "h", "w"].slice(3 - tables.length);
  const shader = call.shader(copies ? "resize to nearest" : "resize").raw("x", self);
  shader.offsets("plane", { shape: self.shape.slice(0, 2), strides: self.strides.slice(0, 2) });
  shader.read(
    "indices",
    call.constant("int32", [lengthOf(tables)], Int32Array.from(tables.flatMap((t) => [...t.indices]))),
  );
  if (!copies) {
    const weights = Float32Array.from(tables.flatMap((t) => [...t.weights]));
    shader.read("weights", call.constant("float32", [weights.length], weights));
  }
  shader.result("out");
  let start = 0;
  for (const [d, axis] of axes.entries()) {
    const { outLength, taps, indices } = tables[d]!;
    shader
      .u32(`x_${axis}`, self.strides[2 + d]!)
      .u32(`o_${axis}`, outLength)
      .u32(`taps_${axis}`, taps);
    shader.u32(`start_${axis}`, start);
    start += indices.length;
  }
  const coordinates = [...axes].reverse().map((a) => `let o_${a} = rest % p.o_${a}; rest /= p.o_${a};`);
  const body = copies
    ? `set_out(i, x_at(plane(rest)${axes.map((a) => ` + u32(indices(p.start_${a} + o_${a})) * p.x_${a}`).join("")}));`
    : `let base = plane(rest);\n  ${nest(axes, "base")}\n  set_out(i, sum_${axes[0]});`;
  shader.forEach(numel(shape), `var rest = i;\n  ${coordinates.join("\n  ")}\n  ${body}`);
}

function lengthOf(tables: readonly AxisTable[]): number {
  return tables.reduce((sum, { indices }) => sum + indices.length, 0);
}

/** A sum along the first axis of sums along the others, as PyTorch adds them up. */
function nest(axes: readonly string[], base: string): string {
  const [a, ...rest] = axes;
  if (a === undefined) return "";
  const inner = rest.length === 0 ? `let value = x_at(at_${a});` : nest(rest, `at_${a}`);
  const value = rest.length === 0 ? "value" : `sum_${rest[0]}`;
  return `var sum_${a} = 0.0;
  for (var t_${a} = 0u; t_${a} < p.taps_${a}; t_${a}++) {
    let k_${a} = p.start_${a} + o_${a} * p.taps_${a} + t_${a};
    let at_${a} = ${base} + u32(indices(k_${a})) * p.x_${a};
    ${inner}
    sum_${a} = fma(weights(k_${a}), ${value}, sum_${a});
  }`;
}
