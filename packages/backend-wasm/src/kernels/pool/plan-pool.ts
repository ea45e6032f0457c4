import { type Spatial, volume } from "@pt2/engine";
import type { Pointer } from "../../kernels.gen.ts";
import type { Division } from "../../threads/team.ts";
import type { ConvCall, KernelModule } from "../conv/types.ts";
import { writeWords } from "../conv/window.ts";
import type { PoolBoxes } from "./boxes.ts";

/** A pooling of channels-last f32 data with everything known. */
export interface PoolShape {
  readonly batch: number;
  readonly channels: number;
  readonly input: Spatial;
  readonly boxes: PoolBoxes;
  readonly reduce: "max" | "mean";
  /** What a mean divides by instead of the extent of its box. */
  readonly divisorOverride?: number;
}

/** Addresses of one run; `indices` receives the int64 positions of the maxima. */
export type PoolCall = Pick<ConvCall, "input" | "output" | "scratch"> & { readonly indices?: Pointer };

/** A pooling ready to run. */
export interface PoolPlan {
  readonly output: Spatial;
  readonly scratchBytes: number;
  /** How the pixels of the output may be divided among threads. */
  readonly division: Division;
  /** Computes `count` pixels of the output from `start` on. */
  run(call: PoolCall, start: number, count: number): void;
}

const WORK_BYTES = 64;
/** Of an element that a window reads. */
const NANOSECONDS_EACH = 0.2;

/** Plans max, mean, adaptive and global pooling of one to three dimensions: only the boxes differ. */
export function planPool(module: KernelModule, shape: PoolShape): PoolPlan {
  const { kernels } = module;
  const { batch, channels, boxes } = shape;
  const output: Spatial = [boxes[0].size, boxes[1].size, boxes[2].size];
  const steps = boxes.map(({ step }) => step);
  const header = [batch, channels, ...shape.input, ...output, ...steps, shape.divisorOverride ?? 0];
  const words = Int32Array.from([...header, ...boxes.flatMap(({ triples }) => triples)]);
  const pixels = batch * output[0] * output[1] * output[2];
  const taps = volume(shape.input) / volume(output);
  const reduce = shape.reduce === "max" ? kernels.poolMax : kernels.poolMean;
  return {
    output,
    scratchBytes: WORK_BYTES + words.byteLength,
    division: { items: pixels, nanoseconds: pixels * channels * taps * NANOSECONDS_EACH },
    run({ input, output: target, indices, scratch }, start, count) {
      const table = scratch + WORK_BYTES;
      writeWords(module, words, table);
      if (indices === undefined) reduce(table, input, start, count, target, scratch);
      else kernels.poolMaxIndices(table, input, start, count, target, indices, scratch);
    },
  };
}
