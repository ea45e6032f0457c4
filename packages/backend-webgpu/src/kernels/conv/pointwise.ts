import type { KernelCall } from "../../engine/kernel.ts";
import { LANES } from "../../shader/operand.ts";
import { computeType } from "../../wgsl/storage.ts";
import { choosePointwiseTile } from "./choose-register-tile.ts";
import { bindOutput, type ConvGeometry, type ConvTensors } from "./geometry.ts";
import { blocksOf, depthOf, packWeight } from "./pack-weight.ts";
import { begin, finish, multiply, packingOf, sharingLanes, workgroupSize } from "./register-tile.ts";
import { entry, gridOf } from "./row-invocations.ts";

/** Products of a weight matrix and pixels, without workgroup memory. */
export function planPointwise(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors): void {
  const { batch, groups, inChannels, outChannels, output } = geometry;
  const { input, bias, weight } = tensors;
  const tile = choosePointwiseTile(geometry, {
    type: computeType(input.dtype),
    shared: sharingLanes(call.adapter),
  });
  const vectors = tile.pixels / LANES;
  const blocks = blocksOf(geometry, tile);
  const size = workgroupSize(call.adapter);
  const quads = output[2] / LANES;
  const cells = Math.ceil(quads / vectors);
  const shader = call.shader(`conv 1x1, ${tile.outputs} channels of ${tile.pixels} pixels`);
  const [n, c] = input.strides as readonly [number, number];
  const span = (batch - 1) * n + (groups * inChannels - 1) * c + output[2];
  shader.read("x", { ...input, shape: [span], strides: [1] }, { vector: true });
  shader.read("w", packWeight(call, weight, geometry, packingOf(tile)), { vector: true });
  if (bias !== null) shader.read("bias", bias);
  bindOutput(shader, tensors, { vector: true });
  shader
    .u32("steps", depthOf(geometry) / tile.taps)
    .u32("outputs", tile.outputs)
    .u32("blocks", blocks);
  shader
    .u32("rows", outChannels)
    .u32("all_rows", groups * outChannels)
    .u32("channels", inChannels);
  shader.u32("x_n", n / LANES).u32("x_c", c / LANES);
  shader
    .u32("quads", quads)
    .u32("cells", cells)
    .u32("lanes", batch * cells);
  if (tile.shared > 0) shader.enable("subgroups");
  const each = (make: (vector: number) => string): string =>
    Array.from({ length: vectors }, (_, v) => make(v)).join("\n    ");
  const wgsl = `${entry(size, tile.shared > 0)} {
  let index = (id.z * groups.x + id.x) * ${size}u + local.x;
  let live = index < p.lanes;
  let n = min(index, p.lanes - 1u) / p.cells;
  let cell = min(index, p.lanes - 1u) % p.cells * ${vectors}u;
  let group = id.y / p.blocks;
  let first = id.y % p.blocks * p.outputs;
  ${begin(tile, "id.y")}
  let base = n * p.x_n + group * p.channels * p.x_c;
  ${each((v) => `var i${v} = base + min(cell + ${v}u, p.quads - 1u);`)}
  for (var s = 0u; s < p.steps; s++) {
      ${Array.from({ length: tile.taps }, (_, t) => each((v) => `let v${t}_${v} = x4(i${v}); i${v} += p.x_c;`)).join("\n      ")}
      ${multiply(tile, (t, q) => `v${t}_${q}`)}
  }
  if (live) {
    ${finish(
      tile,
      bias !== null,
      `let to = (n * p.all_rows + channel) * p.quads + cell;
    ${each((v) => `if (cell + ${v}u < p.quads) { set_out4(to + ${v}u, r${v}); }`)}`,
    )}
  }
}`;
  shader.dispatch(gridOf(call, batch * cells, groups * blocks), wgsl);
}
