import type { ByteRange } from "./byte-range.ts";

/** Bytes between two ranges that are rather read than asked around. */
const GAP = 64 * 1024;
/** Requests at a time; browsers make no more to one server. */
export const LANES = 6;
/** What is longer is asked for in several requests, so that one place far ahead need not wait for all before it. */
const LONG = 32 * 2 ** 20;

/** Ranges in groups of which each is read by one request, in the order of the file. */
export function segmentsOf<T extends ByteRange>(ranges: readonly T[]): readonly (readonly T[])[] {
  const sorted = [...ranges].sort((a, b) => a.offset - b.offset);
  const total = sorted.reduce((sum, { length }) => sum + length, 0);
  const most = Math.max(LONG, Math.ceil(total / LANES));
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
