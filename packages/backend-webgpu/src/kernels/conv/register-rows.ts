import type { KernelCall } from "../../engine/kernel.ts";
import { computeType } from "../../wgsl/storage.ts";
import { chooseRowTile, rowColumns } from "./choose-register-tile.ts";
import { type ConvGeometry, type ConvTensors, isDeep } from "./geometry.ts";
import { blocksOf, depthOf, packWeight } from "./pack-weight.ts";
import { begin, finish, multiply, packingOf, sharingLanes, workgroupSize } from "./register-tile.ts";
import { bindWindow, entry, gridOf, inputRow, laneCount, position, storePixels } from "./row-invocations.ts";

/**
 * Convolution without workgroup memory: an invocation computes neighboring pixels of a row for several channels. Each
 * step reads what a row of the kernel (or a part of it) needs, so that an input is read once for all its taps.
 */
export function planRegisterRows(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors): void {
  const { kernel, stride, dilation } = geometry;
  const tile = chooseRowTile(geometry, {
    type: computeType(tensors.input.dtype),
    shared: sharingLanes(call.adapter),
    software: call.adapter.software,
  });
  const { taps, pixels, outputs, type } = tile;
  const columns = rowColumns(geometry, tile);
  const deep = isDeep(geometry);
  const size = workgroupSize(call.adapter);
  const blocks = blocksOf(geometry, tile);
  const parts = kernel[2] / taps;
  const shader = call.shader(`conv ${kernel.slice(deep ? 0 : 1).join("x")}, ${outputs} channels of ${pixels} pixels`);
  bindWindow(shader, geometry, tensors, pixels);
  shader.read("w", packWeight(call, tensors.weight, geometry, packingOf(tile)), { vector: true });
  shader
    .u32("steps", depthOf(geometry) / taps)
    .u32("outputs", outputs)
    .u32("blocks", blocks)
    .u32("parts", parts);
  if (tile.shared > 0) shader.enable("subgroups");
  const value = (j: number): string =>
    `select(${type}(0), x_at(row + u32(clamp(i${j}, 0, p.i_w - 1)) * p.x_w), inside & (u32(i${j}) < u32(p.i_w)))`;
  const tap = (t: number, q: number): string => {
    const inputs = [0, 1, 2, 3].map((k) => `v${columns.indexOf((4 * q + k) * stride[2] + t * dilation[2])}`);
    return `vec4(${inputs.join(", ")})`;
  };
  const step = `${columns.map((offset, j) => `let i${j} = left + ${offset};`).join(" ")}
      ${columns.map((_, j) => `let v${j} = ${value(j)};`).join("\n      ")}
      ${multiply(tile, tap)}`;
  const wgsl = `${entry(size, tile.shared > 0)} {
  ${position(size, pixels, deep)}
  let group = id.y / p.blocks;
  let first = id.y % p.blocks * p.outputs;
  ${begin(tile, "id.y")}
  let start = i32(ow) * ${stride[2]} - p.pad_w;
  var plane = n * p.x_n + group * p.channels * p.x_c;
  for (var c = 0u; c < p.channels; c++) {
    ${deep ? "for (var kd = 0u; kd < p.k_d; kd++) {" : ""}
    for (var kh = 0u; kh < p.k_h; kh++) {
      ${inputRow(deep)}
      ${parts === 1 ? "{ let left = start;" : `for (var part = 0u; part < p.parts; part++) { let left = start + i32(part * ${taps * dilation[2]}u);`}
      ${step}
      }
    }
    ${deep ? "}" : ""}
    plane += p.x_c;
  }
  if (live) {
    ${finish(tile, tensors.bias !== null, storePixels(pixels, deep))}
  }
}`;
  shader.dispatch(gridOf(call, laneCount(geometry, pixels), geometry.groups * blocks), wgsl);
}
