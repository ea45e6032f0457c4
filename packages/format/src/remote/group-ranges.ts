import type { ByteRange } from "./byte-range.ts";

/** Gaps up to this size are read rather than skipped. */
const GAP = 64 * 1024;
/** The number of concurrent requests; browsers allow no more to one server. */
export const CONCURRENT_REQUESTS = 6;
/** Longer segments are split, so that a read far ahead need not wait for everything before it. */
const LONG = 32 * 2 ** 20;

/** Groups ranges so that one request reads each group, in the order of the file. */
export function groupRanges<T extends ByteRange>(ranges: readonly T[]): readonly (readonly T[])[] {
  const sorted = [...ranges].sort((a, b) => a.offset - b.offset);
  const total = sorted.reduce((sum, { length }) => sum + length, 0);
  const most = Math.max(LONG, Math.ceil(total / CONCURRENT_REQUESTS));
  const segments: T[][] = [];
  let [start, end] = [0, Number.NEGATIVE_INFINITY];
  for (const range of sorted) {
    const rangeEnd = range.offset + range.length;
    const joins = range.offset - end <= GAP && rangeEnd - start <= most;
    if (joins) segments.at(-1)!.push(range);
    else {
      segments.push([range]);
      start = range.offset;
    }
    end = joins ? Math.max(end, rangeEnd) : rangeEnd;
  }
  return segments;
}
