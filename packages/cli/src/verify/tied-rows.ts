import { type Comparable, compareTensors } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { ToleranceOf } from "./tolerance.ts";

/** An expected output and the program's, both with the same dtype and shape. */
export interface OutputPair {
  readonly name: string;
  readonly expected: Comparable;
  readonly actual: Comparable;
  /** The dtype whose tolerance it has. @default its own */
  readonly computed?: DType;
}

/** First and last index + 1 of each run of ties, in the order in which the values lie. */
type Runs = readonly (readonly [number, number])[];

/**
 * Finds outputs that differ only in the order of ties, which rounding decides: indices of `topk`, or boxes in the order
 * of their scores. Returns the name of each with the name of the sorted output whose ties it follows.
 *
 * Such a sorted output is within the tolerance of the expected one, and ties are values of it each of which is within the
 * tolerance of the one before it. All outputs that begin with its dimensions have a row for each of its values. In each
 * run of ties the rows of all these outputs, taken together, must be the expected ones in another order, within the
 * tolerance. Rows that no sorted output explains are not in the result.
 *
 * Of several sorted outputs of one shape the finest one counts: labels that are all alike explain no other order of scores.
 */
export function tiedRows(pairs: readonly OutputPair[], tolerance: ToleranceOf): ReadonlyMap<string, string> {
  const agrees = ({ expected, actual, computed }: OutputPair): boolean =>
    compareTensors(expected, actual, tolerance(computed ?? expected.dtype)).ok;
  const wrong = pairs.filter((pair) => !agrees(pair));
  const found = new Map<string, string>();
  if (wrong.length === 0) return found;
  const orders = new Map(pairs.map((pair) => [pair, runsOf(pair, tolerance)]));
  for (const [scores, runs] of orders) {
    const { shape } = scores.expected;
    if (wrong.includes(scores) || runs === null) continue;
    const aligned = pairs.filter(({ expected }) => shape.every((size, d) => expected.shape[d] === size));
    const explained = wrong.filter((pair) => aligned.includes(pair));
    if (explained.length === 0 || aligned.some((pair) => isFiner(pair, scores, orders))) continue;
    if (!isReordered(runs, aligned, tolerance)) continue;
    for (const { name } of explained) found.set(name, scores.name);
  }
  return found;
}

/** Whether an output of the same shape tells more values apart; integers may be sorted by chance, as indices are. */
function isFiner(pair: OutputPair, scores: OutputPair, orders: ReadonlyMap<OutputPair, Runs | null>): boolean {
  if (pair.expected.shape.length !== scores.expected.shape.length) return false;
  const [runs, others] = [orders.get(pair), orders.get(scores)];
  if (!runs || !others) return false;
  const [isFloat, isOtherFloat] = [pair, scores].map(({ expected }) => expected.dtype.includes("float"));
  return isFloat === isOtherFloat ? runs.length > others.length : isFloat === true;
}

/** Whether rows differ in nothing but their order inside runs of ties. */
function isReordered(runs: Runs, aligned: readonly OutputPair[], tolerance: ToleranceOf): boolean {
  const count = runs.at(-1)?.[1] ?? 0;
  const rowOf = ({ dtype, data }: Comparable, at: number): Comparable => {
    const width = data.length / count;
    return { dtype, shape: [width], data: data.subarray(at * width, (at + 1) * width) };
  };
  const same = (want: number, have: number): boolean =>
    aligned.every(
      ({ expected, actual, computed }) =>
        compareTensors(rowOf(expected, want), rowOf(actual, have), tolerance(computed ?? expected.dtype)).ok,
    );
  return runs.every(([first, end]) => matches(first, end, same));
}

/** Returns the runs of ties, none across slices of the last dimension; null if a slice is not sorted, but for ties. */
function runsOf({ expected: { dtype, shape, data }, computed }: OutputPair, tolerance: ToleranceOf): Runs | null {
  const size = shape.at(-1);
  // Complex numbers, which take two elements, have no order.
  if (size === undefined || data.length !== shape.reduce((product, each) => product * each, 1)) return null;
  const given = tolerance(computed ?? dtype);
  const valueAt = (at: number): Comparable => ({ dtype, shape: [], data: data.subarray(at, at + 1) });
  const runs: [number, number][] = [];
  let direction = 0;
  for (let at = 0; at < data.length; at++) {
    const isFirst = at % size === 0;
    if (isFirst) direction = 0;
    else if (compareTensors(valueAt(at - 1), valueAt(at), given).ok) {
      runs.at(-1)![1] = at + 1;
      continue;
    } else {
      const step = Number(data[at]) > Number(data[at - 1]) ? 1 : -1;
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
