import { type Spatial, volume } from "@pt2/engine";
import type { KernelCall } from "../../engine/kernel.ts";
import { computeType } from "../../wgsl/storage.ts";
import { type ConvGeometry, type ConvTensors, isDeep } from "./geometry.ts";
import { blocksOf, depthOf, packWeight } from "./pack-weight.ts";
import { begin, finish, multiply, packingOf, type RegisterTile, sharingLanes, workgroupSize } from "./register-tile.ts";
import { bindWindow, entry, gridOf, laneCount, position } from "./row-invocations.ts";

/**
 * Transposed convolution, gathering. An output `o` is a sum over the kernel elements `k` for which `o + padding - k *
 * dilation` is a multiple of the stride, `i` times: then it is input `i` that they meet. Which ones these are depends on
 * `o` modulo the stride alone, so outputs of one such phase are computed together; with `o = j * stride + phase` and `t =
 * phase + padding - k * dilation`, input `j + t / stride` counts where the stride divides `t`.
 */
export function planTransposed(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors): void {
  const { output, groups, outChannels } = geometry;
  const type = computeType(tensors.input.dtype);
  const shared = sharingLanes(call.adapter);
  const tile: RegisterTile = { outputs: outputsOf(outChannels, shared), pixels: 4, taps: 1, type, shared };
  const { pixels, outputs } = tile;
  const deep = isDeep(geometry);
  const stride: Spatial = deep ? geometry.stride : [1, geometry.stride[1], geometry.stride[2]];
  const size = workgroupSize(call.adapter);
  const blocks = blocksOf(geometry, tile);
  // Every phase walks a grid of its own, as large as the largest.
  const phase = output.map((count, d) => Math.ceil(count / stride[d]!)) as readonly number[] as Spatial;
  const walked = { ...geometry, output: phase };
  const shader = call.shader(`transposed conv ${geometry.kernel.slice(deep ? 0 : 1).join("x")}`);
  bindWindow(shader, walked, tensors, pixels);
  for (const [i, axis] of ["d", "h", "w"].entries()) shader.u32(`full_${axis}`, output[i]!);
  shader.read("w", packWeight(call, tensors.weight, geometry, packingOf(tile)), { vector: true });
  if (shared > 0) shader.enable("subgroups");
  shader.u32("steps", depthOf(geometry)).u32("outputs", outputs).u32("blocks", blocks);
  /** Opens the loop over the kernel along an axis; `i_axis` is the first input that it meets. */
  const walk = (axis: "d" | "h" | "w"): string => {
    const step = stride[["d", "h", "w"].indexOf(axis)];
    return `for (var k${axis} = 0u; k${axis} < p.k_${axis}; k${axis}++) {
      let t${axis} = i32(phase_${axis}) + p.pad_${axis} - i32(k${axis} * p.d_${axis});
      if (t${axis} % ${step} != 0) { continue; }
      let i_${axis} = i32(o${axis}) + t${axis} / ${step};`;
  };
  const from = (axis: "d" | "h"): string => `u32(clamp(i_${axis}, 0, p.i_${axis} - 1)) * p.x_${axis}`;
  const tap = (k: number): string =>
    `select(${type}(0), x_at(row + u32(clamp(i_w + ${k}, 0, p.i_w - 1)) * p.x_w), inside & (u32(i_w + ${k}) < u32(p.i_w)))`;
  const wgsl = `${entry(size, shared > 0)} {
  ${position(size, pixels, deep)}
  let phase_w = id.y % ${stride[2]}u;
  let phase_h = id.y / ${stride[2]}u % ${stride[1]}u;
  let phase_d = id.y / ${stride[2] * stride[1]}u % ${stride[0]}u;
  let block = id.y / ${volume(stride)}u;
  let y = oh * ${stride[1]}u + phase_h;
  let z = ${deep ? `od * ${stride[0]}u + phase_d` : "0u"};
  let wanted = live && y < p.full_h && z < p.full_d;
  let group = block / p.blocks;
  let first = block % p.blocks * p.outputs;
  ${begin(tile, "block")}
  let start = at;
  var plane = n * p.x_n + group * p.channels * p.x_c;
  for (var c = 0u; c < p.channels; c++) {
    ${deep ? walk("d") : ""}
    ${walk("h")}
      let inside = (u32(i_h) < u32(p.i_h))${deep ? " & (u32(i_d) < u32(p.i_d))" : ""};
      let row = plane + ${from("h")}${deep ? ` + ${from("d")}` : ""};
    ${walk("w")}
      at = start + (((c${deep ? " * p.k_d + kd" : ""}) * p.k_h + kh) * p.k_w + kw) * ${packingOf(tile).step / 4}u;
      let v = vec4(${[0, 1, 2, 3].map(tap).join(", ")});
      ${multiply(tile, () => "v")}
    }
    }
    ${deep ? "}" : ""}
    plane += p.x_c;
  }
  if (wanted) {
  ${finish(
    tile,
    tensors.bias !== null,
    `let to = (((n * p.all_rows + channel) * p.full_d + z) * p.full_h + y) * p.full_w + phase_w;
    for (var i = 0u; i < min(p.pixels, p.o_w - ow); i++) {
      if ((ow + i) * ${stride[2]}u + phase_w < p.full_w) { set_out(to + (ow + i) * ${stride[2]}u, r0[i]); }
    }`,
  )}
  }
}`;
  shader.dispatch(gridOf(call, laneCount(walked, pixels), groups * blocks * volume(stride)), wgsl);
}

/** Channels of a tile: more where the weights of a step are read at once. */
function outputsOf(channels: number, shared: number): number {
  const most = shared > 0 ? 16 : 8;
  return Math.min(most, Math.ceil(channels / 4) * 4);
}
