import { volume } from "@pt2/engine";
import { PANEL, ROW_UNIT } from "../matmul/gemm.ts";
import { clampFlag, productNanoseconds } from "./row-blocks.ts";
import type { ConvPlan, ConvShape, KernelModule } from "./types.ts";
import { convOutput, pixelStrides } from "./window.ts";

/** True when every output pixel reads exactly the input pixel at its place. */
export function isPointwise({ kernel, stride, padding, paddingEnd = padding, transposed }: ConvShape): boolean {
  const zero = [...padding, ...paddingEnd].every((pad) => pad === 0);
  return !transposed && zero && [...kernel, ...stride].every((size) => size === 1);
}

/** 1x1 convolution: one matrix product over all pixels, for each group. */
export function planPointwise({ kernels }: KernelModule, shape: ConvShape): ConvPlan {
  const { inChannels, outChannels, groups } = shape;
  const { inPixel, outPixel } = pixelStrides(shape);
  const output = convOutput(shape);
  const rows = shape.batch * volume(output);
  const [depth, columns] = [inChannels / groups, outChannels / groups];
  const panels = kernels.gemmPackedBytes(depth, columns) >>> 0;
  // Each thread reads a part of the larger operand, and all of the other.
  const byColumns = columns > rows;
  return {
    algorithm: "pointwise",
    output,
    weightBytes: groups * panels,
    packScratchBytes: 0,
    scratchBytes: 0,
    division: byColumns
      ? { items: columns, unit: PANEL, nanoseconds: productNanoseconds(shape) }
      : { items: rows, unit: ROW_UNIT, nanoseconds: productNanoseconds(shape) },
    pack(weight, packed) {
      const [strideO, strideI] = weight.strides;
      for (let group = 0; group < groups; group++) {
        const src = weight.address + group * columns * strideO * 4;
        kernels.gemmPackB(src, strideI, strideO, depth, columns, packed + group * panels);
      }
    },
    run(call, start, count) {
      const [row, column] = byColumns ? [0, start] : [start, 0];
      for (let group = 0; group < groups; group++) {
        kernels.gemmPacked(
          byColumns ? rows : count,
          byColumns ? count : columns,
          depth,
          call.input + (row * inPixel + group * depth) * 4,
          inPixel,
          call.weight + group * panels + column * depth * 4,
          call.output + (row * outPixel + group * columns + column) * 4,
          outPixel,
          call.bias && call.bias + (group * columns + column) * 4,
          clampFlag(call),
          call.lo,
          call.hi,
        );
      }
    },
  };
}
