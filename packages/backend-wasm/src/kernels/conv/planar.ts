import { volume } from "@pt2/engine";
import type { PlanarKernels } from "./planar-plain.gen.ts";
import type { ConvPlan, ConvShape, KernelModule } from "./types.ts";
import { convOutput, pixelsLast, WINDOW_BYTES, windowWords, writeWords } from "./window.ts";

/** Bytes of planes that stay in the second cache. */
const BLOCK_BYTES = 256 * 1024;
/** Lines of the output that are worth the lines around them, which the next block copies again. */
const LEAST_LINES = 4;
/** Of a multiplication and an addition. */
const NANOSECONDS_EACH = 0.06;

/**
 * Convolution with few output channels: of a product, most columns of a panel would be empty. What some lines of the output read
 * becomes a plane for each input channel, and vectors hold neighboring pixels.
 */
export function planPlanar({ planarRows }: PlanarKernels, module: KernelModule, shape: ConvShape): ConvPlan {
  const { batch, inChannels, outChannels, kernel, stride, dilation } = shape;
  const output = convOutput(shape);
  const words = windowWords(shape, output);
  const [, height, outWidth] = output;
  const width = Math.ceil((outWidth + (kernel[2] - 1) * dilation[2]) / 4) * 4;
  const reach = (kernel[1] - 1) * dilation[1] + 1;
  const fitting = Math.floor(BLOCK_BYTES / 4 / (inChannels * width));
  const blockRows = Math.min(height, Math.max(LEAST_LINES, Math.floor((fitting - reach) / stride[1]) + 1));
  const strides = shape.inputStrides ?? pixelsLast(shape);
  const products = batch * height * outWidth * inChannels * outChannels * volume(kernel);
  return {
    algorithm: "planar",
    output,
    weightBytes: inChannels * volume(kernel) * outChannels * 4,
    packScratchBytes: 0,
    scratchBytes: WINDOW_BYTES + inChannels * ((blockRows - 1) * stride[1] + reach) * width * 4,
    division: { items: batch * height, nanoseconds: products * NANOSECONDS_EACH },
    pack({ address, strides: [strideO, strideI, , rowStride, columnStride] }, packed) {
      const order = [1, inChannels, kernel[1], kernel[2], outChannels] as const;
      module.kernels.gather5(address, ...order, 0, strideI, rowStride, columnStride, strideO, packed);
    },
    run({ input, weight, bias, output: target, scratch, lo, hi }, start, count) {
      writeWords(module, words, scratch);
      const planes = scratch + WINDOW_BYTES;
      planarRows(
        ...([
          scratch,
          input,
          ...strides,
          weight,
          bias,
          start,
          count,
          target,
          planes,
          width,
          blockRows,
          lo,
          hi,
        ] as const),
      );
    },
  };
}
