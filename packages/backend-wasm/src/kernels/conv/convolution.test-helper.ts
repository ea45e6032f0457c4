// A convolution in double precision, and one through a plan, for the tests beside this file.

import { type Spatial, volume } from "@pt2/engine";
import { RELATIVE, worstError } from "@pt2/testing/worst-error";
import { notedCalls, type Random, type Testbed } from "../../kernels.test-helper.ts";
import { divide } from "../../threads/team.ts";
import { chooseAlgorithm, planConv } from "./plan-conv.ts";
import { planPlanar } from "./planar.ts";
import type { ConvAlgorithm, ConvPlan, ConvPlanner, ConvShape, KernelModule } from "./types.ts";
import { convOutput } from "./window.ts";

/** A shape given by what differs from a 3x3 convolution of one image. */
export function shapeOf(given: Partial<ConvShape> & { readonly input: Spatial }): ConvShape {
  return {
    batch: 1,
    inChannels: 4,
    outChannels: 4,
    groups: 1,
    kernel: [1, 3, 3],
    stride: [1, 1, 1],
    dilation: [1, 1, 1],
    padding: [0, 1, 1],
    ...given,
  };
}

function positions([d, h, w]: Spatial): Spatial[] {
  return Array.from({ length: d * h * w }, (_, i) => [Math.floor(i / (h * w)), Math.floor(i / w) % h, i % w]);
}

/** The naive convolution of channels-last `x` with PyTorch's contiguous weight. */
function reference(shape: ConvShape, x: Float32Array, weight: Float32Array, bias?: Float32Array): Float64Array {
  const output = convOutput(shape);
  const { inChannels: C, outChannels: O, groups, transposed = false } = shape;
  const [Cg, Og] = [C / groups, O / groups];
  const taps = positions(shape.kernel);
  const y = new Float64Array(shape.batch * volume(output) * O).map((_, i) => bias?.[i % O] ?? 0);
  // `small` runs over the side that the stride multiplies: the output, or a transposed convolution's input.
  const [small, large] = transposed ? [shape.input, output] : [output, shape.input];
  for (let n = 0; n < shape.batch; n++) {
    for (const [at, from] of positions(small).entries()) {
      for (const [t, tap] of taps.entries()) {
        const to = tap.map((k, i) => from[i]! * shape.stride[i]! - shape.padding[i]! + k * shape.dilation[i]!);
        if (to.some((p, i) => p < 0 || p >= large[i]!)) continue;
        const near = n * volume(small) + at;
        const far = n * volume(large) + (to[0]! * large[1] + to[1]!) * large[2] + to[2]!;
        const [px, py] = transposed ? [near, far] : [far, near];
        for (let g = 0; g < groups; g++) {
          for (let o = 0; o < Og; o++) {
            let sum = 0;
            for (let c = 0; c < Cg; c++) {
              const row = transposed ? (g * Cg + c) * Og + o : (g * Og + o) * Cg + c;
              sum += x[px * C + g * Cg + c]! * weight[row * taps.length + t]!;
            }
            y[py * O + g * Og + o]! += sum;
          }
        }
      }
    }
  }
  return y;
}

/** What one comparison may vary. */
export interface Comparison {
  readonly algorithm?: ConvAlgorithm;
  readonly bias?: boolean;
  readonly clamp?: readonly [number, number];
  /** Factor of the weights, which lie in [-1, 1) without it. */
  readonly gain?: number;
}

/** Channels of a larger tensor, of which the others are NaN: `before` ahead of each pixel's own, and `behind` after them. */
function amongOthers(x: Float32Array, channels: number, before: number, behind: number): Float32Array {
  const pixel = before + channels + behind;
  const larger = new Float32Array((x.length / channels) * pixel).fill(Number.NaN);
  for (let from = 0, to = before; from < x.length; from += channels, to += pixel) {
    larger.set(x.subarray(from, from + channels), to);
  }
  return larger;
}

/**
 * Runs `shape` through its plan and in double precision; gives the worst error, which is infinite where parts for several
 * threads, an input or output that is a slice of channels, or an input of rows for strips, give other bytes, or where an output
 * writes to other channels.
 */
export function difference(bed: Testbed, rng: Random, shape: ConvShape, options: Comparison = {}): number {
  bed.clear();
  const noted = notedCalls(bed);
  const { algorithm = chooseAlgorithm(shape) } = options;
  const planBy = (module: KernelModule, given: ConvShape): ConvPlan => {
    const planner: ConvPlanner = (module, shape) => planPlanar(noted.module.kernels, module, shape);
    return planConv(module, given, algorithm, ...(algorithm === "planar" ? [planner] : []));
  };
  const plan = planBy(noted.module, shape);
  const pixels = shape.batch * volume(plan.output);
  const taps = volume(shape.kernel);
  const inner = (shape.transposed ? shape.outChannels : shape.inChannels) / shape.groups;
  const outer = shape.transposed ? shape.inChannels : shape.outChannels;
  const x = rng.floats(shape.batch * volume(shape.input) * shape.inChannels);
  const weight = rng.floats(outer * inner * taps).map((value) => value * (options.gain ?? 1));
  const bias = options.bias === false ? undefined : rng.floats(shape.outChannels);
  const [lo, hi] = options.clamp ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

  const [, kh, kw] = shape.kernel;
  const packed = bed.room(plan.weightBytes / 4);
  const strides = [inner * taps, taps, kh * kw, kw, 1] as const;
  plan.pack({ address: bed.put(weight), strides }, packed, bed.room(plan.packScratchBytes / 4));
  const length = pixels * shape.outChannels;
  const call = {
    input: bed.put(x),
    weight: packed,
    bias: bias ? bed.put(bias) : 0,
    scratch: bed.room(Math.ceil(plan.scratchBytes / 4)),
    lo,
    hi,
  };
  const compute = (threads: number, { division, run, scratchBytes } = plan, input = call.input): Float32Array => {
    const output = bed.room(length);
    noted.run(() => {
      for (const { start, count } of divide({ ...division, nanoseconds: 1e9 }, threads)) {
        run({ ...call, input, output, scratch: bed.room(Math.ceil(scratchBytes / 4)) }, start, count);
      }
    });
    return bed.floats(output, length);
  };
  const slice = planBy(noted.module, { ...shape, inPixel: shape.inChannels + 3 });
  const sliced = bed.put(amongOthers(x, shape.inChannels, 1, 2)) + 4;
  const results = [...[1, 2, 5].map((threads) => compute(threads)), compute(2, slice, sliced)];
  if (plan.algorithm === "strips" || plan.algorithm === "planar") {
    const [[, height, width], channels] = [shape.input, shape.inChannels];
    const planes = height * width;
    const rows = planBy(noted.module, { ...shape, inputStrides: [channels * planes, planes, width, 1] });
    const inRows = x.map((_, i) => {
      const [n, c] = [Math.floor(i / (planes * channels)), Math.floor(i / planes) % channels];
      return x[(n * planes + (i % planes)) * channels + c]!;
    });
    results.push(compute(2, rows, bed.put(inRows)));
  }
  if (!shape.transposed) {
    const part = planBy(bed, { ...shape, outPixel: shape.outChannels + 3 });
    const among = bed.put(amongOthers(new Float32Array(length), shape.outChannels, 1, 2));
    for (const { start, count } of divide({ ...part.division, nanoseconds: 1e9 }, 2)) {
      part.run({ ...call, output: among + 4 }, start, count);
    }
    const written = bed.floats(among, pixels * (shape.outChannels + 3));
    results.push(results[0]!.map((_, i) => written[Math.floor(i / shape.outChannels) * 3 + i + 1]!));
    if (!Buffer.from(written.buffer).equals(Buffer.from(amongOthers(results[0]!, shape.outChannels, 1, 2).buffer)))
      return Number.POSITIVE_INFINITY;
  }
  const same = results.every((result) => Buffer.from(result.buffer).equals(Buffer.from(results[0]!.buffer)));
  if (!same || !bed.intact()) return Number.POSITIVE_INFINITY;
  const expected = reference(shape, x, weight, bias).map((value) => Math.min(Math.max(value, lo), hi));
  return worstError(results[0]!, expected, RELATIVE);
}
