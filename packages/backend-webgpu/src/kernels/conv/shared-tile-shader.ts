import { volume } from "@pt2/engine";
import type { ConvGeometry } from "./geometry.ts";

/** Invocations along pixels and along channels. */
export const ACROSS = 16;
export const DOWN = 8;
/** Pixels of one invocation, `ACROSS` apart, so that neighbors read and write neighbors. */
export const PIXELS = 4;
/** Elements of the sum that are in workgroup memory at once. */
export const DEPTH = 16;
/** What one text is made for; sizes are in the parameters. */
export interface SharedTileShader {
  /** Fours of channels of one invocation. */
  readonly vectors: number;
  readonly bias: boolean;
  readonly deep: boolean;
  readonly by: "kernel" | "channels";
}

/** WGSL of where the input under tap `tap` of the kernel is: `inside` the image, at `window`. */
function underTap({ kernel }: ConvGeometry, tap: string, deep: boolean): string {
  return `let x = left + i32(${tap} % ${kernel[2]}u) * p.d_w;
      let y = top + i32(${tap} / ${kernel[2]}u % ${kernel[1]}u) * p.d_h;
      ${deep ? `let z = front + i32(${tap} / ${kernel[2] * kernel[1]}u % ${kernel[0]}u) * p.d_d;` : ""}
      let inside = (u32(x) < u32(p.i_w)) & (u32(y) < u32(p.i_h))${deep ? " & (u32(z) < u32(p.i_d))" : ""};
      let window = base + u32(y) * p.x_h + u32(x) * p.x_w${deep ? " + u32(z) * p.x_d" : ""};`;
}

/** WGSL that brings the inputs of step `s`; rows are what is multiplied together. */
function bring(geometry: ConvGeometry, by: SharedTileShader["by"], deep: boolean): string {
  const width = ACROSS * PIXELS;
  const rows = `for (var row = local / ${width}u; row < ${DEPTH}u; row += ${(ACROSS * DOWN) / width}u)`;
  const to = `inputs[row * ${width}u + local % ${width}u]`;
  if (by === "channels") {
    return `${underTap(geometry, "(s / p.chunks)", deep)}
      ${rows} {
        let c = s % p.chunks * ${DEPTH}u + row;
        var value = 0f;
        if (inside && c < p.channels) { value = x_at(window + c * p.x_c); }
        ${to} = value;
      }`;
  }
  return `${rows} {
      let k = s * ${DEPTH}u + row;
      ${underTap(geometry, "k", deep)}
      var value = 0f;
      if (inside && k < p.depth) { value = x_at(window + k / ${volume(geometry.kernel)}u * p.x_c); }
      ${to} = value;
    }`;
}

/** WGSL of a convolution by tiles in workgroup memory. */
export function sharedTileShader(geometry: ConvGeometry, { vectors, bias, deep, by }: SharedTileShader): string {
  const width = ACROSS * PIXELS;
  const threads = ACROSS * DOWN;
  const perRow = DOWN * vectors;
  const range = (count: number, make: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => make(i)).join("\n    ");
  const sums = (make: (pixel: number, vector: number) => string): string =>
    range(PIXELS, (i) => range(vectors, (v) => make(i, v)));
  return `var<workgroup> inputs: array<f32, ${width * DEPTH}>;
var<workgroup> weights: array<vec4<f32>, ${perRow * DEPTH}>;
@compute @workgroup_size(${threads})
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  let part = id.z / p.tile_rows;
  let tile = (id.z % p.tile_rows * groups.x + id.x) * ${width}u;
  let group = id.y / p.blocks;
  // The pixel whose inputs this invocation brings, and where its window begins.
  let mine = min(tile + local % ${width}u, p.pixels - 1u);
  let within = mine % p.plane;
  let left = i32(within % p.o_w) * p.s_w - p.pad_w;
  let top = i32(within / p.o_w % p.o_h) * p.s_h - p.pad_h;
  ${deep ? "let front = i32(within / p.o_w / p.o_h) * p.s_d - p.pad_d;" : ""}
  let base = mine / p.plane * p.x_n + group * p.channels * p.x_c;
  let across = local % ${ACROSS}u;
  let down = local / ${ACROSS}u;
  ${sums((i, v) => `var a${i}_${v} = vec4<f32>();`)}
  for (var s = part * p.part_steps; s < min(p.steps, (part + 1u) * p.part_steps); s++) {
    ${bring(geometry, by, deep)}
    for (var i = local; i < ${perRow * DEPTH}u; i += ${threads}u) {
      weights[i] = w4((id.y * p.steps + s) * ${perRow * DEPTH}u + i);
    }
    workgroupBarrier();
    for (var k = 0u; k < ${DEPTH}u; k++) {
      ${range(vectors, (v) => `let w${v} = weights[k * ${perRow}u + down * ${vectors}u + ${v}u];`)}
      ${range(PIXELS, (i) => `let x${i} = inputs[k * ${width}u + across + ${i * ACROSS}u];`)}
      ${sums((i, v) => `a${i}_${v} = fma(vec4(x${i}), w${v}, a${i}_${v});`)}
    }
    workgroupBarrier();
  }
  let first = id.y % p.blocks * p.outputs + down * ${4 * vectors}u;
  for (var i = 0u; i < p.share; i++) {
    let pixel = tile + across + i * ${ACROSS}u;
    if (pixel >= p.pixels) { break; }
    ${range(vectors, (v) => `var r${v}: vec4<f32>;`)}
    switch i { ${range(PIXELS, (i) => `${i === PIXELS - 1 ? "default" : `case ${i}u`}: { ${range(vectors, (v) => `r${v} = a${i}_${v};`)} }`)} }
    for (var o = 0u; o < p.pack && first + o < p.rows; o++) {
      let channel = group * p.rows + first + o;
      let value = ${vectors === 1 ? "r0[o]" : "select(r0[o & 3u], r1[o & 3u], o > 3u)"}${bias ? " + bias(channel)" : ""};
      set_out(part * p.size + (pixel / p.plane * p.all_rows + channel) * p.plane + pixel % p.plane, value);
    }
  }
}`;
}
