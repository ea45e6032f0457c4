import { volume } from "@pt2/engine";
import { NANOSECONDS_EACH_PRODUCT, ROW_UNIT } from "../matmul/gemm.ts";
import type { ConvCall, ConvShape } from "./types.ts";
import { convOutput } from "./window.ts";

/** Calls `block(start, count)` over [0, total) in steps of `size`. */
export function inBlocks(total: number, size: number, block: (start: number, count: number) => void): void {
  for (let start = 0; start < total; start += size) block(start, Math.min(size, total - start));
}

/**
 * Calls `block(start, count)` over [0, total) in blocks of about equal size, at most `size`, which is a multiple of `ROW_UNIT`
 * unless there is one block. Ends are rounded up to one: rounded to the nearest, the last block could be larger than `size`.
 */
export function inEvenBlocks(total: number, size: number, block: (start: number, count: number) => void): void {
  const blocks = Math.ceil(total / size);
  for (let i = 0, start = 0; i < blocks; i++) {
    const end = Math.min(total, Math.ceil(((i + 1) * total) / blocks / ROW_UNIT) * ROW_UNIT);
    block(start, end - start);
    start = end;
  }
}

/** `gemmPacked`'s flag for clamping, when the bounds say anything. */
export function clampFlag({ lo, hi }: Pick<ConvCall, "lo" | "hi">): number {
  return lo > Number.NEGATIVE_INFINITY || hi < Number.POSITIVE_INFINITY ? 2 : 0;
}

/** Nanoseconds of a convolution whose products take as long as those of the packed matrix product. */
export function productNanoseconds(shape: ConvShape): number {
  const pixels = shape.batch * volume(shape.transposed ? shape.input : convOutput(shape));
  const products = (pixels * volume(shape.kernel) * shape.inChannels * shape.outChannels) / shape.groups;
  return products * NANOSECONDS_EACH_PRODUCT;
}
