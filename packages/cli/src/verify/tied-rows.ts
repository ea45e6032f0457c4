import { type Comparable, compareTensors } from "@pt2/backend";
import type { ToleranceOf } from "./tolerance.ts";

/** An expected output and the program's, both with the same dtype and shape. */
export interface OutputPair {
  readonly name: string;
  readonly expected: Comparable;
  readonly actual: Comparable;
}

/** One row of an output: what belongs to one score. */
type Row = (pair: OutputPair, side: "expected" | "actual", at: number) => Comparable;

/**
 * Finds outputs that differ only in the order of ties, which rounding decides: indices of `topk`, or boxes in the order
 * of their scores. Returns the name of each with the name of the sorted output whose ties it follows.
 *
 * Such a sorted output is within the tolerance of the expected one, and ties are values of it each of which is within the
 * tolerance of the one before it. All outputs that begin with its dimensions have a row for each of its values. In each
 * run of ties the rows of all these outputs, taken together, must be the expected ones in another order, within the
 * tolerance. Rows that no sorted output explains are not in the result.
 */
export function tiedRows(pairs: readonly OutputPair[], tolerance: ToleranceOf): ReadonlyMap<string, string> {
  const agrees = ({ expected, actual }: OutputPair): boolean =>
    compareTensors(expected, actual, tolerance(expected.dtype)).ok;
  const wrong = pairs.filter((pair) => !agrees(pair));
  const found = new Map<string, string>();
  if (wrong.length === 0) return found;
  for (const scores of pairs) {
    const { shape } = scores.expected;
    if (wrong.includes(scores) || shape.length === 0) continue;
    const aligned = pairs.filter(({ expected }) => shape.every((size, d) => expected.shape[d] === size));
    const explained = wrong.filter((pair) => aligned.includes(pair));
    if (explained.length === 0 || !isReordered(scores, aligned, tolerance)) continue;
    for (const { name } of explained) found.set(name, scores.name);
  }
  return found;
}

/** Whether rows differ in nothing but their order inside runs of ties, in each slice along the last dimension. */
function isReordered(scores: OutputPair, aligned: readonly OutputPair[], tolerance: ToleranceOf): boolean {
  const { data, shape } = scores.expected;
  const size = shape.at(-1)!;
  const count = shape.reduce((product, each) => product * each, 1);
  if (data.length !== count) return false; // Complex numbers have no order.
  const rowOf: Row = (pair, side, at) => {
    const { dtype, shape: sizes, data: all } = pair[side];
    const width = all.length / count;
    return { dtype, shape: sizes.slice(shape.length), data: all.subarray(at * width, (at + 1) * width) };
  };
  const same = (want: number, have: number): boolean =>
    aligned.every(
      (pair) =>
        compareTensors(rowOf(pair, "expected", want), rowOf(pair, "actual", have), tolerance(pair.expected.dtype)).ok,
    );
  for (let start = 0; start < count; start += size) {
    const runs = runsOf(scores, start, size, rowOf, tolerance);
    if (runs === null || !runs.every(([first, end]) => matches(first, end, same))) return false;
  }
  return true;
}

/** Returns where runs of ties begin and end in a slice; null if the slice is not sorted, but for ties. */
function runsOf(
  scores: OutputPair,
  start: number,
  size: number,
  rowOf: Row,
  tolerance: ToleranceOf,
): readonly (readonly [number, number])[] | null {
  const runs: [number, number][] = [];
  const given = tolerance(scores.expected.dtype);
  let direction = 0;
  for (let at = start; at < start + size; at++) {
    const [before, here] = [rowOf(scores, "expected", at - 1), rowOf(scores, "expected", at)];
    if (at > start && compareTensors(before, here, given).ok) {
      runs.at(-1)![1] = at + 1;
      continue;
    }
    if (at > start) {
      const step = Number(here.data[0]) > Number(before.data[0]) ? 1 : -1;
      if (direction !== 0 && step !== direction) return null;
      direction = step;
    }
    runs.push([at, at + 1]);
  }
  return runs;
}

/** Whether each expected row of a run has a row of the program's to itself. */
function matches(first: number, end: number, same: (want: number, have: number) => boolean): boolean {
  const free = Array.from({ length: end - first }, (_, i) => first + i);
  for (let want = first; want < end; want++) {
    const at = free.findIndex((have) => same(want, have));
    if (at < 0) return false;
    free.splice(at, 1);
  }
  return true;
}
