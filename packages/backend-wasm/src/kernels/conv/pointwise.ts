import { volume } from "@pt2/engine";
import { clampFlag, inBlocks, rowReporter } from "./row-blocks.ts";
import type { ConvPlan, ConvShape, KernelModule } from "./types.ts";
import { convOutput } from "./window.ts";

/** True when every output pixel reads exactly the input pixel at its place. */
export function isPointwise({ kernel, stride, padding, paddingEnd = padding, transposed }: ConvShape): boolean {
  const zero = [...padding, ...paddingEnd].every((pad) => pad === 0);
  return !transposed && zero && [...kernel, ...stride].every((size) => size === 1);
}

/** Bytes of input and output that a block of rows may touch when an epilogue follows it. */
const BLOCK_BYTES = 256 * 1024;

/** 1x1 convolution: one matrix product over all pixels, for each group. */
export function planPointwise({ kernels }: KernelModule, shape: ConvShape): ConvPlan {
  const { inChannels, outChannels, groups } = shape;
  const output = convOutput(shape);
  const rows = shape.batch * volume(output);
  const [depth, columns] = [inChannels / groups, outChannels / groups];
  const panels = kernels.gemmPackedBytes(depth, columns) >>> 0;
  return {
    algorithm: "pointwise",
    output,
    weightBytes: groups * panels,
    packScratchBytes: 0,
    scratchBytes: 0,
    pack(weight, packed) {
      const [strideO, strideI] = weight.strides;
      for (let group = 0; group < groups; group++) {
        const src = weight.address + group * columns * strideO * 4;
        kernels.gemmPackB(src, strideI, strideO, depth, columns, packed + group * panels);
      }
    },
    run(call) {
      const flags = clampFlag(call);
      const report = rowReporter(call, outChannels);
      const fitting = Math.ceil(BLOCK_BYTES / 4 / (inChannels + outChannels) / 60) * 60;
      inBlocks(rows, call.afterRows ? fitting : rows, (start, count) => {
        for (let group = 0; group < groups; group++) {
          kernels.gemmPacked(
            count,
            columns,
            depth,
            call.input + (start * inChannels + group * depth) * 4,
            inChannels,
            call.weight + group * panels,
            call.output + (start * outChannels + group * columns) * 4,
            outChannels,
            call.bias && call.bias + group * columns * 4,
            flags,
            call.lo,
            call.hi,
          );
        }
        report(start + count);
      });
    },
  };
}
