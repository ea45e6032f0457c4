import type { Spatial } from "@pt2/engine";
import type { Pointer } from "../../kernels.gen.ts";
import { inBlocks, rowReporter } from "../conv/row-blocks.ts";
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
export type PoolCall = Pick<ConvCall, "input" | "output" | "scratch" | "afterRows"> & { readonly indices?: Pointer };

/** A pooling ready to run. */
export interface PoolPlan {
  readonly output: Spatial;
  readonly scratchBytes: number;
  run(call: PoolCall): void;
}

const WORK_BYTES = 64;
/** Bytes of output of a block when an epilogue follows it. */
const BLOCK_BYTES = 128 * 1024;

/** Plans max, mean, adaptive and global pooling of one to three dimensions: only the boxes differ. */
export function planPool(module: KernelModule, shape: PoolShape): PoolPlan {
  const { kernels } = module;
  const { batch, channels, boxes } = shape;
  const output: Spatial = [boxes[0].size, boxes[1].size, boxes[2].size];
  const steps = boxes.map(({ step }) => step);
  const header = [batch, channels, ...shape.input, ...output, ...steps, shape.divisorOverride ?? 0];
  const words = Int32Array.from([...header, ...boxes.flatMap(({ triples }) => triples)]);
  const pixels = batch * output[0] * output[1] * output[2];
  const blockPixels = Math.max(1, Math.floor(BLOCK_BYTES / 4 / channels));
  const reduce = shape.reduce === "max" ? kernels.poolMax : kernels.poolMean;
  return {
    output,
    scratchBytes: WORK_BYTES + words.byteLength,
    run(call) {
      const { input, output: target, indices, scratch } = call;
      const table = scratch + WORK_BYTES;
      const report = rowReporter(call, channels);
      writeWords(module, words, table);
      inBlocks(pixels, call.afterRows ? blockPixels : pixels, (start, count) => {
        if (indices === undefined) reduce(table, input, start, count, target, scratch);
        else kernels.poolMaxIndices(table, input, start, count, target, indices, scratch);
        report(start + count);
      });
    },
  };
}
