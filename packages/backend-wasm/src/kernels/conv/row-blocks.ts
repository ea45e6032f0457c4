import type { ConvCall } from "./types.ts";

const FLOAT = 4;

/** Calls `block(start, count)` over [0, total) in steps of `size`. */
export function inBlocks(total: number, size: number, block: (start: number, count: number) => void): void {
  for (let start = 0; start < total; start += size) block(start, Math.min(size, total - start));
}

/** Reports to `afterRows` the pixels that have become complete, given how many are by now. */
export function rowReporter(
  call: Pick<ConvCall, "output" | "afterRows">,
  channels: number,
): (complete: number) => void {
  let reported = 0;
  return (complete) => {
    if (complete > reported) call.afterRows?.(call.output + reported * channels * FLOAT, complete - reported);
    reported = complete;
  };
}

/** `gemmPacked`'s flag for clamping, when the bounds say anything. */
export function clampFlag({ lo, hi }: Pick<ConvCall, "lo" | "hi">): number {
  return lo > Number.NEGATIVE_INFINITY || hi < Number.POSITIVE_INFINITY ? 2 : 0;
}
