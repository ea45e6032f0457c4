import type { PlanContext } from "../../engine/kernel.ts";
import type { Place } from "../../engine/place.ts";
import { computeType } from "../../wgsl/storage.ts";
import { type ConvGeometry, volume, weightOf } from "./geometry.ts";

/** How a kernel wants to read a weight. */
export interface Packing {
  /** Output channels that are computed together. */
  readonly outputs: number;
  /** Elements of the kernel, channel by channel, that are multiplied in one step. */
  readonly taps: number;
  /** Elements from one step to the next, at least `outputs * taps`. */
  readonly step: number;
}

/** Elements of the kernel that every output is a sum over. */
export function depthOf({ inChannels, kernel }: ConvGeometry): number {
  return inChannels * volume(kernel);
}

/** Blocks of output channels of one group. */
export function blocksOf({ outChannels }: ConvGeometry, { outputs }: Pick<Packing, "outputs">): number {
  return Math.ceil(outChannels / outputs);
}

/** The weight as [group, block of outputs, step, tap, output], with zeros where a block or a step is not full. */
export function packWeight(ctx: PlanContext, weight: Place, geometry: ConvGeometry, packing: Packing): Place {
  const { groups, outChannels, transposed } = geometry;
  const { outputs, taps, step } = packing;
  const depth = depthOf(geometry);
  const steps = Math.ceil(depth / taps);
  const shape = [groups * blocksOf(geometry, packing), steps, step];
  const key = `conv weight ${groups} ${outputs} ${taps} ${transposed}`;
  return ctx.prepared(weight, key, { dtype: weight.dtype, shape }, (inner, from, to) => {
    const shader = inner.shader("pack conv weight").read("w", weightOf(from, geometry)).write("out", to);
    shader.u32("outputs", outputs).u32("taps", taps).u32("step", step);
    shader.u32("steps", steps).u32("blocks", blocksOf(geometry, packing)).u32("rows", outChannels).u32("depth", depth);
    shader.forEach(
      shape[0]! * steps * step,
      `let at = i % p.step;
  let tap = at / p.outputs;
  let k = (i / p.step % p.steps) * p.taps + tap;
  let block = i / p.step / p.steps;
  let o = (block % p.blocks) * p.outputs + at % p.outputs;
  var value = ${computeType(to.dtype)}(0);
  if (tap < p.taps && o < p.rows && k < p.depth) { value = w((block / p.blocks * p.rows + o) * p.depth + k); }
  set_out(i, value);`,
    );
  });
}
