import { volume } from "@pt2/engine";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { Shader } from "../../shader/shader.ts";
import { bindOutput, type ConvGeometry, type ConvTensors, isDeep } from "./geometry.ts";
import { blocksOf, depthOf, packWeight, stepsOf } from "./pack-weight.ts";
import { ACROSS, DEPTH, DOWN, PIXELS, sharedTileShader } from "./shared-tile-shader.ts";

/** With fewer workgroups than this a smaller tile keeps more of the device busy. */
const FEW_GROUPS = 256;
/** With fewer than this long sums are computed in parts. */
const ENOUGH_GROUPS = 64;
/** The least of {@link DEPTH} rows that a part should have, and the most parts. */
const [LEAST_STEPS, MOST_PARTS] = [8, 16];

/**
 * Convolution as a product of matrices whose one factor, the input under the kernel, is never written down: a workgroup
 * keeps {@link DEPTH} of its rows and as many of the packed weight in its own memory, for 64 pixels and 32 or 64 channels.
 */
export function planSharedTileConv(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors): void {
  const { batch, groups, outChannels, output } = geometry;
  const pixels = batch * volume(output);
  const across = Math.ceil(pixels / (ACROSS * PIXELS));
  const wide = across * groups * Math.ceil(outChannels / (DOWN * 8)) >= FEW_GROUPS && outChannels > DOWN * 4;
  const vectors = wide ? 2 : 1;
  const outputs = DOWN * 4 * vectors;
  const blocks = blocksOf(geometry, { outputs });
  // With channels innermost a step has one tap, and where its inputs are is worked out once.
  const by = geometry.inChannels >= DEPTH ? "channels" : "kernel";
  const packing = { outputs, taps: DEPTH, step: outputs * DEPTH, by } as const;
  const steps = stepsOf(geometry, packing);
  const parts = partsOf(across * groups * blocks, steps);
  const deep = isDeep(geometry);
  const kernel = geometry.kernel.slice(deep ? 0 : 1).join("x");
  const shader = call.shader(`conv ${kernel}, 64x${outputs} in workgroup memory`);
  const sums = parts === 1 ? null : call.temporary("float32", [parts, groups * outChannels * pixels]);
  const inPart = sums === null ? tensors : { ...tensors, bias: null, output: sums };
  bind(shader, geometry, inPart);
  shader.read("w", packWeight(call, tensors.weight, geometry, packing), { vector: true });
  const x = Math.min(across, call.adapter.limits.maxComputeWorkgroupsPerDimension);
  const tileRows = Math.ceil(across / x);
  shader
    .u32("blocks", blocks)
    .u32("outputs", outputs)
    .u32("share", PIXELS)
    .u32("pack", 4 * vectors);
  shader
    .u32("chunks", Math.ceil(geometry.inChannels / DEPTH))
    .u32("pixels", pixels)
    .u32("size", groups * outChannels * pixels);
  shader
    .u32("steps", steps)
    .u32("part_steps", Math.ceil(steps / parts))
    .u32("tile_rows", tileRows);
  shader.dispatch(
    [x, groups * blocks, tileRows * parts],
    sharedTileShader(geometry, { vectors, bias: inPart.bias !== null, deep, by }),
  );
  if (sums !== null) planSum(call, geometry, tensors, sums);
}

function partsOf(groups: number, steps: number): number {
  if (groups >= ENOUGH_GROUPS / 2) return 1;
  return Math.max(1, Math.min(MOST_PARTS, Math.ceil(ENOUGH_GROUPS / groups), Math.floor(steps / LEAST_STEPS)));
}

/** Adds up what the parts of long sums gave. */
function planSum(call: KernelCall, { output }: ConvGeometry, tensors: ConvTensors, sums: TensorView): void {
  const [parts, count] = sums.shape as readonly [number, number];
  const { bias } = tensors;
  const shader = call.shader("sum of parts").raw("x", sums);
  if (bias !== null) shader.read("bias", bias);
  bindOutput(shader, tensors);
  shader.u32("parts", parts).u32("plane", volume(output)).u32("rows", tensors.weight.shape[0]!);
  shader.forEach(
    count,
    `var sum = ${bias === null ? "0f" : "bias(i / p.plane % p.rows)"};
  for (var part = 0u; part < p.parts; part++) { sum += x_at(part * p.count + i); }
  set_out(i, sum);`,
  );
}

function bind(shader: Shader, geometry: ConvGeometry, tensors: ConvTensors): void {
  const { input, bias } = tensors;
  shader.raw("x", input);
  if (bias !== null) shader.read("bias", bias);
  bindOutput(shader, tensors);
  for (const [i, axis] of ["n", "c", "d", "h", "w"].entries()) shader.u32(`x_${axis}`, input.strides[i]!);
  for (const [i, axis] of ["d", "h", "w"].entries()) {
    shader.i32(`i_${axis}`, geometry.input[i]!).u32(`o_${axis}`, geometry.output[i]!);
    shader.i32(`s_${axis}`, geometry.stride[i]!).i32(`d_${axis}`, geometry.dilation[i]!);
    shader.i32(`pad_${axis}`, geometry.padding[i]!);
  }
  shader.u32("channels", geometry.inChannels).u32("rows", geometry.outChannels);
  shader.u32("all_rows", geometry.groups * geometry.outChannels);
  shader.u32("plane", volume(geometry.output)).u32("depth", depthOf(geometry));
}
