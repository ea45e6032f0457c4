import { type PoolingWindow, spatial, windowOf } from "@pt2/engine";
import type { TensorMeta } from "@pt2/registry";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { computeType } from "../../wgsl/storage.ts";
import { rowColumns } from "../conv/choose-register-tile.ts";
import { type ConvGeometry, inputOf, isDeep } from "../conv/geometry.ts";
import { workgroupSize } from "../conv/register-tile.ts";
import { bindWindow, entry, gridOf, inputRow, laneCount, position, storePixels } from "../conv/row-invocations.ts";

/** Longest row of a window that is unrolled. */
const MOST_TAPS = 7;

/** Whether windows are read row by row: floats, a short row, and no indices of maxima are wanted. */
export function fitsRows(call: KernelCall, self: TensorView, { kernel }: PoolingWindow): boolean {
  const channels = self.shape.at(-1 - kernel.length)!;
  const many = channels > call.adapter.limits.maxComputeWorkgroupsPerDimension;
  return computeType(self.dtype) === "f32" && kernel.at(-1)! <= MOST_TAPS && call.call.results.length === 1 && !many;
}

/** Sliding maxima or means: an invocation computes neighbors in a row, whose windows share what it reads. */
export function planPoolRows(call: KernelCall, self: TensorView, window: PoolingWindow, divisor: number | null): void {
  const isMax = windowOf(call.call.record).reduce === "max";
  const geometry = geometryOf(call, self, window);
  const { stride, dilation, output } = geometry;
  const taps = geometry.kernel[2];
  const pixels = call.adapter.software && output[2] > 4 ? 8 : 4;
  const columns = rowColumns(geometry, { pixels, taps });
  const deep = isDeep(geometry);
  const size = workgroupSize(call.adapter);
  const input = inputOf(self, window.kernel.length + 2);
  const shader = call.shader(`${isMax ? "max" : "mean"} pool of rows`);
  bindWindow(shader, geometry, { input, weight: input, bias: null, output: null }, pixels);
  if (divisor !== null) shader.f32("divisor", divisor);
  const quads = Array.from({ length: pixels / 4 }, (_, q) => q);
  const four = (make: (k: number) => string): string => `vec4(${[0, 1, 2, 3].map(make).join(", ")})`;
  const start = isMax ? "f32_bits(0xff800000u)" : "0f";
  const visits = Array.from({ length: taps }, (_, t) =>
    quads.map((q) => {
      const values = four((k) => `v${columns.indexOf((4 * q + k) * stride[2] + t * dilation[2])}`);
      return isMax ? `r${q} = larger(r${q}, ${values});` : `r${q} += ${values};`;
    }),
  );
  const rows = `extent_h(oh)${deep ? " * extent_d(od)" : ""}`;
  const means = quads.map((q) => {
    const counts = `vec4<f32>(${four((k) => `extent_w(ow + ${4 * q + k}u)`)} * (${rows}))`;
    return `r${q} /= ${divisor === null ? counts : "p.divisor"};`;
  });
  const wgsl = `${isMax ? LARGER : extents(window.countsPadding)}${entry(size, false)} {
  ${position(size, pixels, deep)}
  if (!live) { return; }
  let channel = id.y;
  let plane = n * p.x_n + channel * p.x_c;
  let left = i32(ow) * ${stride[2]} - p.pad_w;
  ${quads.map((q) => `var r${q} = vec4<f32>(${start});`).join(" ")}
  ${deep ? "for (var kd = 0u; kd < p.k_d; kd++) {" : ""}
  for (var kh = 0u; kh < p.k_h; kh++) {
      ${inputRow(deep)}
      ${columns.map((c, j) => `let v${j} = select(${start}, x_at(row + u32(clamp(left + ${c}, 0, p.i_w - 1)) * p.x_w), inside & (u32(left + ${c}) < u32(p.i_w)));`).join("\n      ")}
      ${visits.flat().join("\n      ")}
  }
  ${deep ? "}" : ""}
  ${isMax ? "" : means.join(" ")}
  ${storePixels(pixels, deep)}
}`;
  shader.dispatch(gridOf(call, laneCount(geometry, pixels), geometry.groups), wgsl);
}

/** The window as that of a convolution of each channel by itself. */
function geometryOf(call: KernelCall, self: TensorView, window: PoolingWindow): ConvGeometry {
  const { shape } = call.call.results[0] as TensorMeta;
  const rank = window.kernel.length;
  return {
    batch: self.shape.length === rank + 2 ? self.shape[0]! : 1,
    groups: self.shape.at(-1 - rank)!,
    inChannels: 1,
    outChannels: 1,
    input: spatial(self.shape.slice(-rank), 1),
    output: spatial(shape.slice(-rank), 1),
    kernel: spatial(window.kernel, 1),
    stride: spatial(window.stride, 1),
    dilation: spatial(window.dilation, 1),
    padding: spatial(window.padding, 0),
    transposed: false,
  };
}

/** The larger of two, or NaN where the second one is, or the first one is already. */
const LARGER = `fn larger(best: vec4<f32>, v: vec4<f32>) -> vec4<f32> {
  let nan = (bitcast<vec4<u32>>(v) & vec4(0x7fffffffu)) > vec4(0x7f800000u);
  return select(best, v, (v > best) | nan);
}
`;

/**
 * How many elements a mean counts along each axis. In ceil mode windows may reach beyond the padding, which never
 * counts.
 */
function extents(padding: boolean): string {
  const axes = ["d", "h", "w"].map((a) => {
    const last = `i32(o * p.s_${a}) - p.pad_${a} + i32(p.k_${a})`;
    const first = `i32(o * p.s_${a}) - p.pad_${a}`;
    const count = padding
      ? `min(${last}, p.i_${a} + p.pad_${a}) - (${first})`
      : `min(${last}, p.i_${a}) - max(${first}, 0)`;
    return `fn extent_${a}(o: u32) -> i32 { return ${count}; }\n`;
  });
  return axes.join("");
}
