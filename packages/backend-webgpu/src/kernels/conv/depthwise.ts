import type { KernelCall } from "../../engine/kernel.ts";
import { computeType } from "../../wgsl/storage.ts";
import { rowColumns } from "./choose-register-tile.ts";
import { depthwiseRows, planDepthwiseRows } from "./depthwise-rows.ts";
import { type ConvGeometry, type ConvTensors, isDeep, weightOf } from "./geometry.ts";
import { workgroupSize } from "./register-tile.ts";
import { bindWindow, entry, gridOf, inputRow, laneCount, position, storePixels } from "./row-invocations.ts";

/** Longest row of a kernel that is unrolled. */
const MOST_TAPS = 7;

/** Convolution of each channel by itself. */
export function planDepthwise(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors): void {
  const rows = depthwiseRows(call, geometry);
  if (rows > 1) planDepthwiseRows(call, geometry, tensors, rows);
  else planPixels(call, geometry, tensors);
}

/** An invocation computes neighboring pixels of a row of one output channel. */
function planPixels(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors): void {
  const { kernel, stride, dilation, output } = geometry;
  const type = computeType(tensors.input.dtype);
  const pixels = call.adapter.software && output[2] > 4 ? 8 : 4;
  const taps = kernel[2] <= MOST_TAPS ? kernel[2] : 1;
  const columns = rowColumns(geometry, { pixels, taps });
  const deep = isDeep(geometry);
  const size = workgroupSize(call.adapter);
  const shader = call.shader(`depthwise conv ${kernel.slice(deep ? 0 : 1).join("x")}`);
  bindWindow(shader, geometry, tensors, pixels);
  shader.read("w", weightOf(tensors.weight, geometry)).u32("parts", kernel[2] / taps);
  const quads = Array.from({ length: pixels / 4 }, (_, q) => q);
  const value = (j: number): string =>
    `select(${type}(0), x_at(row + u32(clamp(left + ${columns[j]}, 0, p.i_w - 1)) * p.x_w), inside & (u32(left + ${columns[j]}) < u32(p.i_w)))`;
  const inputs = (t: number, q: number): string =>
    `vec4(${[0, 1, 2, 3].map((k) => `v${columns.indexOf((4 * q + k) * stride[2] + t * dilation[2])}`).join(", ")})`;
  const products = Array.from({ length: taps }, (_, t) => {
    const sums = quads.map((q) =>
      type === "f32" ? `r${q} = fma(vec4(f${t}), ${inputs(t, q)}, r${q});` : `r${q} += f${t} * ${inputs(t, q)};`,
    );
    return sums.join(" ");
  });
  const wgsl = `${entry(size, false)} {
  ${position(size, pixels, deep)}
  if (!live) { return; }
  let channel = id.y;
  let plane = n * p.x_n + channel / p.rows * p.x_c;
  let start = i32(ow) * ${stride[2]} - p.pad_w;
  var at = channel * p.taps;
  ${quads.map((q) => `var r${q} = vec4<${type}>(${tensors.bias === null ? "" : "bias(channel)"});`).join(" ")}
  ${deep ? "for (var kd = 0u; kd < p.k_d; kd++) {" : ""}
  for (var kh = 0u; kh < p.k_h; kh++) {
      ${inputRow(deep)}
      ${taps === kernel[2] ? "{ let left = start;" : `for (var part = 0u; part < p.parts; part++) { let left = start + i32(part * p.d_w);`}
      ${Array.from({ length: taps }, (_, t) => `let f${t} = w(at + ${t}u);`).join(" ")}
      ${columns.map((_, j) => `let v${j} = ${value(j)};`).join("\n      ")}
      ${products.join("\n      ")}
      at += ${taps}u;
      }
  }
  ${deep ? "}" : ""}
  ${storePixels(pixels, deep)}
}`;
  shader.dispatch(gridOf(call, laneCount(geometry, pixels), geometry.groups * geometry.outChannels), wgsl);
}
