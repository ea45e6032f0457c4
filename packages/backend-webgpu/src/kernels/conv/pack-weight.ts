import { volume } from "@pt2/engine";
import type { PlanContext } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { computeType } from "../../wgsl/storage.ts";
import { type ConvGeometry, weightOf } from "./geometry.ts";

/** How a kernel wants to read a weight. */
export interface Packing {
  /** Output channels that are computed together. */
  readonly outputs: number;
  /** Elements of the kernel that are multiplied in one step. */
  readonly taps: number;
  /**
   * What steps walk: `kernel` by `kernel`, channel after channel; or all `channels` under each element of the kernel,
   * which begins a step. Default: kernels.
   */
  readonly by?: "kernel" | "channels";
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

/** Steps that a sum takes. */
export function stepsOf(geometry: ConvGeometry, packing: Omit<Packing, "step">): number {
  const run = runOf(geometry, packing);
  return (depthOf(geometry) / run) * Math.ceil(run / packing.taps);
}

/** Elements that follow each other in steps; the last step of a run may not be full. */
function runOf(geometry: ConvGeometry, { by }: Pick<Packing, "by">): number {
  return by === "channels" ? geometry.inChannels : depthOf(geometry);
}

/** The weight as [group, block of outputs, step, tap, output], with zeros where a block or a step is not full. */
export function packWeight(ctx: PlanContext, weight: TensorView, geometry: ConvGeometry, packing: Packing): TensorView {
  const { groups, outChannels, transposed } = geometry;
  const { outputs, taps, step, by = "kernel" } = packing;
  const run = runOf(geometry, packing);
  const steps = stepsOf(geometry, packing);
  const shape = [groups * blocksOf(geometry, packing), steps, step];
  const key = `conv weight ${groups} ${outputs} ${taps} ${by} ${transposed}`;
  return ctx.prepared(weight, key, { dtype: weight.dtype, shape }, (inner, from, to) => {
    const given = weightOf(from, geometry);
    const shader = inner.shader("pack conv weight").read("w", by === "channels" ? channelsLast(given) : given);
    shader.write("out", to).u32("outputs", outputs).u32("taps", taps).u32("step", step).u32("steps", steps);
    shader.u32("blocks", blocksOf(geometry, packing)).u32("rows", outChannels).u32("depth", depthOf(geometry));
    shader.u32("run", run).u32("run_steps", Math.ceil(run / taps));
    shader.forEach(
      shape[0]! * steps * step,
      `let at = i % p.step;
  let tap = at / p.outputs;
  let s = i / p.step % p.steps;
  let k = s % p.run_steps * p.taps + tap;
  let block = i / p.step / p.steps;
  let o = block % p.blocks * p.outputs + at % p.outputs;
  var value = ${computeType(to.dtype)}(0);
  if (tap < p.taps && o < p.rows && k < p.run) {
    value = w((block / p.blocks * p.rows + o) * p.depth + s / p.run_steps * p.run + k);
  }
  set_out(i, value);`,
    );
  });
}

/** [groups, out, in, D, H, W] as [groups, out, D, H, W, in]. */
function channelsLast(weight: TensorView): TensorView {
  const move = ([group, out, channel, ...rest]: readonly number[]): readonly number[] => [
    group!,
    out!,
    ...rest,
    channel!,
  ];
  return { ...weight, shape: move(weight.shape), strides: move(weight.strides) };
}
