import { type HostKernel, hostKernel } from "./host-kernel.ts";
import { type AxisTable, resizeTable } from "./resize-tables.ts";

const OPS = [
  "aten::upsample_bilinear2d",
  "aten::upsample_bicubic2d",
  "aten::_upsample_bilinear2d_aa",
  "aten::_upsample_bicubic2d_aa",
] as const;

/**
 * Resampling of images of bytes, as PyTorch and PIL do it: columns and then rows, each a sum with weights of 16 bits,
 * which is a byte again. On a GPU it is worth no shader: such images are resized once, before they become numbers.
 */
export const resizeBytes: readonly HostKernel[] = OPS.map((op) =>
  hostKernel(
    [op],
    (call, args) => {
      const self = call.array(args.self);
      const [height, width] = call.shape(0).slice(-2) as [number, number];
      const [inHeight, inWidth] = self.shape.slice(-2) as [number, number];
      const table = (inLength: number, outLength: number, scale: number | null): AxisTable =>
        resizeTable({
          mode: op.includes("bicubic") ? "cubic" : "linear",
          inLength,
          outLength,
          scale: scale ?? undefined,
          alignCorners: args.align_corners,
          antialias: op.endsWith("_aa"),
        });
      const wide = resample(self.data, table(inWidth, width, args.scales_w), 1);
      return [resample(wide, table(inHeight, height, args.scales_h), width)];
    },
    ({ self }) => self.dtype === "uint8",
  ),
);

/** Resamples one axis, whose elements lie `stride` apart. */
function resample(bytes: ArrayLike<number>, table: AxisTable, stride: number): Uint8ClampedArray {
  const { inLength, outLength } = table;
  const { rows, shift } = fixedPoint(table);
  const half = 2 ** (shift - 1);
  const lanes = bytes.length / inLength;
  const result = new Uint8ClampedArray(lanes * outLength);
  for (let lane = 0; lane < lanes; lane++) {
    const [outer, inner] = [Math.floor(lane / stride), lane % stride];
    for (const [at, row] of rows.entries()) {
      let sum = half;
      for (const [index, weight] of row) sum += weight * bytes[(outer * inLength + index) * stride + inner]!;
      result[(outer * outLength + at) * stride + inner] = Math.floor(sum / 2 ** shift);
    }
  }
  return result;
}

type Row = readonly (readonly [index: number, weight: number])[];

/** Weights as integers of 16 bits: times the greatest power of two that lets the largest fit. */
function fixedPoint({ outLength, taps, indices, weights }: AxisTable): {
  readonly rows: readonly Row[];
  readonly shift: number;
} {
  const rows = Array.from({ length: outLength }, (_, at) => {
    // An index that was moved back into the image counts with all its weights.
    const merged = new Map<number, number>();
    for (let t = at * taps; t < (at + 1) * taps; t++) {
      merged.set(indices[t]!, (merged.get(indices[t]!) ?? 0) + weights[t]!);
    }
    return [...merged];
  });
  const largest = Math.max(...rows.flat().map(([, weight]) => weight));
  let shift = 0;
  while (shift < 22 && Math.trunc(0.5 + largest * 2 ** (shift + 1)) < 2 ** 15) shift++;
  const rounded = (weight: number): number => Math.trunc(weight * 2 ** shift + (weight < 0 ? -0.5 : 0.5));
  return { rows: rows.map((row) => row.map(([index, weight]) => [index, rounded(weight)] as const)), shift };
}
