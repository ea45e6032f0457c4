import type { KernelCall } from "../../engine/kernel.ts";
import { LANES } from "../../shader/operand.ts";
import { computeType } from "../../wgsl/storage.ts";
import { rowColumns } from "./choose-register-tile.ts";
import { bindOutput, type ConvGeometry, type ConvTensors, isDeep, weightOf } from "./geometry.ts";
import { workgroupSize } from "./register-tile.ts";
import { entry, gridOf, position } from "./row-invocations.ts";

/** Neighboring pixels of a row that an invocation computes. */
const PIXELS = 8;
/** How many rows of them: sums that a CPU has registers for. */
const ROWS = [1, 2, 4];
/** Longest row of a kernel that is unrolled. */
const MOST_TAPS = 7;

/**
 * How many rows an invocation had best compute, each reading the input's rows that they share once. On a GPU, where
 * reads are cached and more invocations are worth more, and where rows share nothing, it is one.
 */
export function depthwiseRows({ adapter }: Pick<KernelCall, "adapter">, geometry: ConvGeometry): number {
  const { batch, kernel, stride, dilation, output } = geometry;
  const shares = stride[1] === 1 && dilation[1] === 1 && kernel[2] <= MOST_TAPS && output[2] > LANES;
  if (!adapter.software || isDeep(geometry) || !shares) return 1;
  const reads = ROWS.map((rows) => {
    const lanes = batch * Math.ceil(output[2] / PIXELS) * Math.ceil(output[1] / rows);
    return Math.ceil(lanes / workgroupSize(adapter)) * (kernel[1] + rows - 1);
  });
  return ROWS[reads.indexOf(Math.min(...reads))]!;
}

/**
 * Convolution of each channel by itself: an invocation computes pixels of `rows` rows below each other. A row of the
 * kernel meets row `r` of them `r` steps after it was read.
 */
export function planDepthwiseRows(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors, rows: number): void {
  const { kernel, stride, dilation, output, input, padding } = geometry;
  const [, height, width] = output;
  const type = computeType(tensors.input.dtype);
  const taps = range(kernel[2]);
  const columns = rowColumns(geometry, { pixels: PIXELS, taps: kernel[2] });
  const vector = width % LANES === 0;
  const quads = range(PIXELS / LANES);
  const size = workgroupSize(call.adapter);
  const channels = geometry.groups * geometry.outChannels;
  const cells = { w: Math.ceil(width / PIXELS), h: Math.ceil(height / rows) };
  const lanes = geometry.batch * cells.w * cells.h;
  const shader = call.shader(`depthwise conv ${kernel.slice(1).join("x")}, ${rows} rows`);
  shader.raw("x", tensors.input).read("w", weightOf(tensors.weight, geometry));
  if (tensors.bias !== null) shader.read("bias", tensors.bias);
  bindOutput(shader, tensors, { vector });
  const [n, c, , h, w] = tensors.input.strides as readonly [number, number, number, number, number];
  shader.u32("x_n", n).u32("x_c", c).u32("x_h", h).u32("x_w", w);
  shader.i32("i_h", input[1]).i32("i_w", input[2]).i32("pad_h", padding[1]).i32("pad_w", padding[2]);
  shader
    .u32("k_h", kernel[1])
    .u32("steps", kernel[1] + rows - 1)
    .u32("taps", kernel[1] * kernel[2]);
  shader.u32("rows", geometry.outChannels).u32("all_rows", channels);
  shader.u32("o_h", cells.h).u32("quads", cells.w).u32("lanes", lanes);
  shader
    .u32("height", height)
    .u32("width", width)
    .u32("sums", rows * quads.length);
  const value = (column: number): string =>
    `select(${type}(0), x_at(row + u32(clamp(start + ${column}, 0, p.i_w - 1)) * p.x_w), inside & (u32(start + ${column}) < u32(p.i_w)))`;
  const inputs = (t: number, q: number): string =>
    `vec4(${range(LANES).map((k) => `v${columns.indexOf((LANES * q + k) * stride[2] + t * dilation[2])}`)})`;
  const product = (r: number, t: number, q: number): string =>
    type === "f32"
      ? `r${r}_${q} = fma(vec4(f${r}_${t}), ${inputs(t, q)}, r${r}_${q});`
      : `r${r}_${q} += f${r}_${t} * ${inputs(t, q)};`;
  const each = (make: (row: number, quad: number) => string): string =>
    range(rows)
      .flatMap((r) => quads.map((q) => make(r, q)))
      .join(" ");
  const wgsl = `${entry(size, false)} {
  ${position(size, PIXELS, false)}
  if (!live) { return; }
  let channel = id.y;
  let plane = n * p.x_n + channel / p.rows * p.x_c;
  let start = i32(ow) * ${stride[2]} - p.pad_w;
  let top = oh * ${rows}u;
  let first = vec4<${type}>(${tensors.bias === null ? "" : "bias(channel)"});
  ${each((r, q) => `var r${r}_${q} = first;`)}
  ${range(rows)
    .map((r) => taps.map((t) => `var f${r}_${t}: ${type};`).join(" "))
    .join(" ")}
  for (var kh = 0u; kh < p.steps; kh++) {
    let y = i32(top + kh) - p.pad_h;
    let inside = u32(y) < u32(p.i_h);
    let row = plane + u32(clamp(y, 0, p.i_h - 1)) * p.x_h;
    let at = channel * p.taps + min(kh, p.k_h - 1u) * ${kernel[2]}u;
    ${range(rows - 1)
      .map((i) => taps.map((t) => `f${rows - 1 - i}_${t} = f${rows - 2 - i}_${t};`).join(" "))
      .join(" ")}
    ${taps.map((t) => `f0_${t} = w(at + ${t}u);`).join(" ")}
    ${columns.map((column, j) => `let v${j} = ${value(column)};`).join("\n    ")}
    ${range(rows)
      .map((r) => `if (kh - ${r}u < p.k_h) { ${taps.flatMap((t) => quads.map((q) => product(r, t, q))).join(" ")} }`)
      .join("\n    ")}
  }
  for (var i = 0u; i < p.sums; i++) {
    let column = ow + i % ${quads.length}u * ${LANES}u;
    let line = top + i / ${quads.length}u;
    if (column < p.width && line < p.height) {
      var sum: vec4<${type}>;
      switch i { ${each((r, q) => `${r === rows - 1 && q === quads.length - 1 ? "default" : `case ${r * quads.length + q}u`}: { sum = r${r}_${q}; }`)} }
      let to = ((n * p.all_rows + channel) * p.height + line) * p.width + column;
      ${vector ? `set_out4(to / ${LANES}u, sum);` : `for (var k = 0u; k < min(${LANES}u, p.width - column); k++) { set_out(to + k, sum[k]); }`}
    }
  }
}`;
  shader.dispatch(gridOf(call, lanes, channels), wgsl);
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}
