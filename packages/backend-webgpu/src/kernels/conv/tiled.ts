import type { KernelCall } from "../../engine/kernel.ts";
import type { Place } from "../../engine/place.ts";
import type { Shader } from "../../shader/shader.ts";
import { bindOutput, type ConvGeometry, type ConvTensors, isDeep, volume } from "./geometry.ts";
import { blocksOf, depthOf, packWeight } from "./pack-weight.ts";

/** Invocations along pixels and along channels. */
const [ACROSS, DOWN] = [16, 8];
/** Pixels of one invocation, `ACROSS` apart, so that neighbours read and write neighbours. */
const PIXELS = 4;
/** Elements of the sum that are in workgroup memory at once. */
const DEPTH = 16;
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
export function planTiled(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors): void {
  const { batch, groups, outChannels, output } = geometry;
  const pixels = batch * volume(output);
  const across = Math.ceil(pixels / (ACROSS * PIXELS));
  const wide = across * groups * Math.ceil(outChannels / (DOWN * 8)) >= FEW_GROUPS && outChannels > DOWN * 4;
  const vectors = wide ? 2 : 1;
  const outputs = DOWN * 4 * vectors;
  const blocks = blocksOf(geometry, { outputs });
  const steps = Math.ceil(depthOf(geometry) / DEPTH);
  const parts = partsOf(across * groups * blocks, steps);
  const deep = isDeep(geometry);
  const kernel = geometry.kernel.slice(deep ? 0 : 1).join("x");
  const shader = call.shader(`conv ${kernel}, 64x${outputs} in workgroup memory`);
  const sums = parts === 1 ? null : call.temporary("float32", [parts, groups * outChannels * pixels]);
  const inPart = sums === null ? tensors : { ...tensors, bias: null, output: sums };
  bind(shader, geometry, inPart);
  const packing = { outputs, taps: DEPTH, step: outputs * DEPTH };
  shader.read("w", packWeight(call, tensors.weight, geometry, packing), { vector: true });
  const x = Math.min(across, call.adapter.limits.maxComputeWorkgroupsPerDimension);
  const folds = Math.ceil(across / x);
  shader
    .u32("blocks", blocks)
    .u32("outputs", outputs)
    .u32("share", PIXELS)
    .u32("pack", 4 * vectors);
  shader.u32("pixels", pixels).u32("size", groups * outChannels * pixels);
  shader
    .u32("steps", steps)
    .u32("part_steps", Math.ceil(steps / parts))
    .u32("folds", folds);
  shader.dispatch([x, groups * blocks, folds * parts], text(geometry, vectors, inPart.bias !== null, deep));
  if (sums !== null) planSum(call, geometry, tensors, sums);
}

function partsOf(groups: number, steps: number): number {
  if (groups >= ENOUGH_GROUPS / 2) return 1;
  return Math.max(1, Math.min(MOST_PARTS, Math.ceil(ENOUGH_GROUPS / groups), Math.floor(steps / LEAST_STEPS)));
}

/** Adds up what the parts of long sums gave. */
function planSum(call: KernelCall, { output }: ConvGeometry, tensors: ConvTensors, sums: Place): void {
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

function text(geometry: ConvGeometry, vectors: number, bias: boolean, deep: boolean): string {
  const { kernel } = geometry;
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
  let part = id.z / p.folds;
  let tile = (id.z % p.folds * groups.x + id.x) * ${width}u;
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
    for (var row = local / ${width}u; row < ${DEPTH}u; row += ${threads / width}u) {
      let k = s * ${DEPTH}u + row;
      let c = k / ${volume(kernel)}u;
      let x = left + i32(k % ${kernel[2]}u) * p.d_w;
      let y = top + i32(k / ${kernel[2]}u % ${kernel[1]}u) * p.d_h;
      ${deep ? `let z = front + i32(k / ${kernel[2] * kernel[1]}u % ${kernel[0]}u) * p.d_d;` : ""}
      var value = 0.0;
      if (k < p.depth && u32(x) < u32(p.i_w) && u32(y) < u32(p.i_h)${deep ? " && u32(z) < u32(p.i_d)" : ""}) {
        value = x_at(base + c * p.x_c + u32(y) * p.x_h + u32(x) * p.x_w${deep ? " + u32(z) * p.x_d" : ""});
      }
      inputs[row * ${width}u + local % ${width}u] = value;
    }
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
