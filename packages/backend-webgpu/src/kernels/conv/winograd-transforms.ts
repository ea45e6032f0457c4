import { numel } from "@pt2/format";
import type { KernelCall, PlanContext } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { Shader } from "../../shader/shader.ts";
import { NUMBERS, type Tiles } from "./fits-winograd.ts";
import { bindOutput, type ConvGeometry, type ConvTensors, weightOf } from "./geometry.ts";

/** The tiles of the kernel, `G k Gᵀ`, as the weight of 16 groups. */
export function transformedWeight(ctx: PlanContext, geometry: ConvGeometry, weight: TensorView): TensorView {
  const { inChannels, outChannels } = geometry;
  const shape = [NUMBERS * outChannels, inChannels, 1];
  return ctx.prepared(weight, "winograd", { dtype: "float32", shape }, (inner, from, to) => {
    const shader = inner.shader("winograd weight").read("w", weightOf(from, geometry)).write("out", to);
    shader.u32("kernels", inChannels * outChannels).u32("side", 3);
    shader.forEach(
      numel(shape),
      `let number = i / p.kernels;
  var sum = 0f;
  for (var y = 0u; y < p.side; y++) {
    for (var x = 0u; x < p.side; x++) {
      sum += factor(number / 4u, y) * factor(number % 4u, x) * w(i % p.kernels * 9u + y * 3u + x);
    }
  }
  set_out(i, sum);`,
      {
        declarations: `fn factor(row: u32, column: u32) -> f32 {
  if (row == 0u || row == 3u) { return select(0f, 1f, column == row / 3u * 2u); }
  return select(0.5f, -0.5f, row == 2u && column == 1u);
}
`,
      },
    );
  });
}

/** WGSL that goes over four vectors, so that the text of what is read or written for each is there once. */
function eachOf(names: readonly string[], body: string, take: "set" | "get"): string {
  const cases = names.map((name, r) => {
    const statement = take === "set" ? `${name} = row;` : `row = ${name};`;
    return `${r === names.length - 1 ? "default" : `case ${r}u`}: { ${statement} }`;
  });
  const choose = `switch r { ${cases.join(" ")} }`;
  return `for (var r = 0u; r < p.four; r++) {
    ${take === "set" ? `${body} ${choose}` : `var row: vec4<f32>; ${choose} ${body}`}
  }`;
}

/** The tiles of the input, `Bᵀ d B`: number after number, each for all channels and tiles. */
export function transformInput(
  call: KernelCall,
  geometry: ConvGeometry,
  input: TensorView,
  tiles: Tiles,
  to: TensorView,
): void {
  const shader = call.shader("winograd input").raw("x", input).write("out", to);
  bindTiles(shader, geometry, tiles).u32("channels", geometry.inChannels);
  for (const [i, axis] of ["n", "c", "d", "h", "w"].entries()) shader.u32(`x_${axis}`, input.strides[i]!);
  shader.i32("i_h", geometry.input[1]).i32("i_w", geometry.input[2]);
  shader.i32("pad_h", geometry.padding[1]).i32("pad_w", geometry.padding[2]);
  const value = (k: number): string =>
    `let v${k} = select(0f, x_at(line + u32(clamp(x + ${k}, 0, p.i_w - 1)) * p.x_w), inside & (u32(x + ${k}) < u32(p.i_w)));`;
  const read = `let y = top + i32(r);
    let inside = u32(y) < u32(p.i_h);
    let line = base + u32(clamp(y, 0, p.i_h - 1)) * p.x_h;
    ${[0, 1, 2, 3].map(value).join("\n    ")}
    let row = vec4(v0 - v2, v1 + v2, v2 - v1, v1 - v3);`;
  shader.forEach(
    geometry.inChannels * tiles.count,
    `let c = i / p.tiles;
  let tile = min(i % p.tiles, p.used - 1u);
  let base = tile / p.across / p.down * p.x_n + c * p.x_c;
  let top = i32(tile / p.across % p.down) * 2 - p.pad_h;
  let x = i32(tile % p.across) * 2 - p.pad_w;
  var d0: vec4<f32>; var d1: vec4<f32>; var d2: vec4<f32>; var d3: vec4<f32>;
  ${eachOf(["d0", "d1", "d2", "d3"], read, "set")}
  ${eachOf(
    ["(d0 - d2)", "(d1 + d2)", "(d2 - d1)", "(d1 - d3)"],
    "for (var k = 0u; k < p.four; k++) { set_out(((r * 4u + k) * p.channels + c) * p.tiles + i % p.tiles, row[k]); }",
    "get",
  )}`,
  );
}

/** The results of the tiles, `Aᵀ m A`, and what follows the convolution. */
export function transformOutput(
  call: KernelCall,
  geometry: ConvGeometry,
  tensors: ConvTensors,
  tiles: Tiles,
  from: TensorView,
): void {
  const { outChannels, output } = geometry;
  const { bias } = tensors;
  const shader = call.shader("winograd output").raw("m", from);
  if (bias !== null) shader.read("bias", bias);
  bindOutput(shader, tensors);
  bindTiles(shader, geometry, tiles)
    .u32("rows", outChannels)
    .u32("numbers", outChannels * tiles.count);
  shader.u32("o_h", output[1]).u32("o_w", output[2]);
  const read = `let at = r * 4u * p.numbers + i;
    let m0 = m_at(at); let m1 = m_at(at + p.numbers);
    let m2 = m_at(at + 2u * p.numbers); let m3 = m_at(at + 3u * p.numbers);
    let row = vec4(m0 + m1 + m2, m1 - m2 - m3, 0f, 0f);`;
  shader.forEach(
    outChannels * tiles.count,
    `let tile = i % p.tiles;
  if (tile >= p.used) { return; }
  let channel = i / p.tiles;
  var s0: vec4<f32>; var s1: vec4<f32>; var s2: vec4<f32>; var s3: vec4<f32>;
  ${eachOf(["s0", "s1", "s2", "s3"], read, "set")}
  let sums = vec4((s0 + s1 + s2).xy, (s1 - s2 - s3).xy)${bias === null ? "" : " + bias(channel)"};
  let top = tile / p.across % p.down * 2u;
  let left = tile % p.across * 2u;
  let to = ((tile / p.across / p.down * p.rows + channel) * p.o_h + top) * p.o_w + left;
  for (var k = 0u; k < p.four; k++) {
    if (top + k / 2u < p.o_h && left + k % 2u < p.o_w) { set_out(to + k / 2u * p.o_w + k % 2u, sums[k]); }
  }`,
  );
}

function bindTiles(shader: Shader, { batch }: ConvGeometry, { down, across, count }: Tiles): Shader {
  shader
    .u32("down", down)
    .u32("across", across)
    .u32("tiles", count)
    .u32("used", batch * down * across);
  return shader.u32("four", 4);
}
