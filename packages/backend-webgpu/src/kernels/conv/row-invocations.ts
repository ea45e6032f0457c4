import { volume } from "@pt2/engine";
import type { PlanContext } from "../../engine/kernel.ts";
import type { Shader } from "../../shader/shader.ts";
import { bindOutput, type ConvGeometry, type ConvTensors } from "./geometry.ts";
import { workgroupSize } from "./register-tile.ts";

/** Invocations that each compute `pixels` neighbors in a row, over a batch. */
export function laneCount({ batch, output }: ConvGeometry, pixels: number): number {
  return batch * output[0] * output[1] * Math.ceil(output[2] / pixels);
}

/** Workgroups of {@link laneCount} invocations for each of `slices`: of a channel, or a block of channels. */
export function gridOf(
  { adapter }: Pick<PlanContext, "adapter">,
  lanes: number,
  slices: number,
): readonly [number, number, number] {
  const groups = Math.ceil(lanes / workgroupSize(adapter));
  const x = Math.min(groups, adapter.limits.maxComputeWorkgroupsPerDimension);
  return [x, slices, Math.ceil(groups / x)];
}

/** The entry point of a shader with such a grid. */
export function entry(size: number, sharing: boolean): string {
  const lane = sharing ? ", @builtin(subgroup_invocation_id) lane: u32" : "";
  return `@compute @workgroup_size(${size})
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>${lane})`;
}

/** Binds input, bias and result, and the numbers of the window: `i_`nput, `o_`utput, `k_`ernel, `s_`tride, `d_`ilation. */
export function bindWindow(shader: Shader, geometry: ConvGeometry, tensors: ConvTensors, pixels: number): void {
  const { input, bias } = tensors;
  shader.raw("x", input);
  if (bias !== null) shader.read("bias", bias);
  bindOutput(shader, tensors);
  for (const [i, axis] of ["n", "c", "d", "h", "w"].entries()) shader.u32(`x_${axis}`, input.strides[i]!);
  for (const [i, axis] of ["d", "h", "w"].entries()) {
    shader
      .i32(`i_${axis}`, geometry.input[i]!)
      .u32(`o_${axis}`, geometry.output[i]!)
      .u32(`k_${axis}`, geometry.kernel[i]!);
    shader.u32(`s_${axis}`, geometry.stride[i]!).u32(`d_${axis}`, geometry.dilation[i]!);
    shader.i32(`pad_${axis}`, geometry.padding[i]!);
  }
  shader.u32("channels", geometry.inChannels).u32("rows", geometry.outChannels);
  shader.u32("all_rows", geometry.groups * geometry.outChannels);
  shader.u32("pixels", pixels).u32("quads", Math.ceil(geometry.output[2] / pixels));
  shader.u32("lanes", laneCount(geometry, pixels)).u32("taps", volume(geometry.kernel));
}

/**
 * Where an invocation is: image `n`, `od`, `oh` and its first column `ow`. All invocations go on, because those of a
 * subgroup may share what they read; what is not `live` stores nothing.
 */
export function position(size: number, pixels: number, deep: boolean): string {
  return `let index = (id.z * groups.x + id.x) * ${size}u + local.x;
  let live = index < p.lanes;
  var rest = min(index, p.lanes - 1u);
  let ow = rest % p.quads * ${pixels}u;
  rest /= p.quads;
  let oh = rest % p.o_h;
  rest /= p.o_h;
  ${deep ? "let od = rest % p.o_d; rest /= p.o_d;" : ""}
  let n = rest;`;
}

/**
 * The row of the input under row `kh` of the kernel: whether it is `inside`, and the offset `row` of its first column.
 * Conditions are joined by `&`: `&&` branches, and some drivers take minutes to compile tens of branches.
 */
export function inputRow(deep: boolean): string {
  const y = `let y = i32(oh * p.s_h + kh * p.d_h) - p.pad_h;
      let row_h = plane + u32(clamp(y, 0, p.i_h - 1)) * p.x_h;`;
  if (!deep) return `${y} let inside = u32(y) < u32(p.i_h); let row = row_h;`;
  return `${y}
      let z = i32(od * p.s_d + kd * p.d_d) - p.pad_d;
      let inside = (u32(y) < u32(p.i_h)) & (u32(z) < u32(p.i_d));
      let row = row_h + u32(clamp(z, 0, p.i_d - 1)) * p.x_d;`;
}

/** Stores `r0` and `r1`, the neighboring pixels of output channel `channel`. */
export function storePixels(pixels: number, deep: boolean): string {
  const value = pixels === 4 ? "r0[i]" : "select(r0[i & 3u], r1[i & 3u], i > 3u)";
  return `let to = (${deep ? "((n * p.all_rows + channel) * p.o_d + od)" : "(n * p.all_rows + channel)"} * p.o_h + oh) * p.o_w + ow;
    for (var i = 0u; i < min(p.pixels, p.o_w - ow); i++) { set_out(to + i, ${value}); }`;
}
