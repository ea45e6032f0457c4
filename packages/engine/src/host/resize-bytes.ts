import { type ByteTable, byteTable } from "./byte-tables.ts";
import { type HostKernel, hostKernel } from "./host-kernel.ts";

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
      const [height, width] = call.shape(0).slice(-2) as [number, number];
      const [inHeight, inWidth] = args.self.shape.slice(-2) as [number, number];
      const table = (inLength: number, outLength: number, scale: number | null): ByteTable =>
        byteTable({
          isCubic: op.includes("bicubic"),
          ...{ inLength, outLength, scale },
          alignCorners: args.align_corners,
          antialias: op.endsWith("_aa"),
        });
      const bytes = call.bytes(args.self);
      const wide = inWidth === width ? bytes : resampleColumns(bytes, inWidth, table(inWidth, width, args.scales_w));
      if (inHeight === height) return [wide];
      return [resampleRows(wide, inHeight, width, table(inHeight, height, args.scales_h))];
    },
    ({ self }) => self.dtype === "uint8",
  ),
);

/** A sum as a byte: rounded, and limited. */
function byteOf(sum: number, shift: number): number {
  return Math.max(0, Math.min(255, sum >> shift));
}

/** Resamples lines of `length` bytes. */
function resampleColumns(bytes: Uint8Array, length: number, table: ByteTable): Uint8Array {
  const { starts, counts, weights, taps, shift } = table;
  const lines = bytes.length / length;
  const result = new Uint8Array(lines * starts.length);
  const half = 1 << (shift - 1);
  for (let line = 0, to = 0; line < lines; line++) {
    for (let at = 0; at < starts.length; at++) {
      let sum = half;
      const from = line * length + starts[at]!;
      const first = at * taps;
      const count = counts[at]!;
      for (let i = 0; i < count; i++) sum += weights[first + i]! * bytes[from + i]!;
      result[to++] = byteOf(sum, shift);
    }
  }
  return result;
}

/** Resamples images of `length` lines, of `width` bytes each. */
function resampleRows(bytes: Uint8Array, length: number, width: number, table: ByteTable): Uint8Array {
  const { starts, counts, weights, taps, shift } = table;
  const images = bytes.length / (length * width);
  const result = new Uint8Array(images * starts.length * width);
  const sums = new Int32Array(width);
  const half = 1 << (shift - 1);
  for (let image = 0, to = 0; image < images; image++) {
    for (let at = 0; at < starts.length; at++, to += width) {
      sums.fill(half);
      for (let i = 0; i < counts[at]!; i++) {
        const weight = weights[at * taps + i]!;
        const from = (image * length + starts[at]! + i) * width;
        for (let x = 0; x < width; x++) sums[x]! += weight * bytes[from + x]!;
      }
      for (let x = 0; x < width; x++) result[to + x] = byteOf(sums[x]!, shift);
    }
  }
  return result;
}
