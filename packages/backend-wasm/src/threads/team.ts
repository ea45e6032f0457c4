/** A part of the items that a step computes. */
export interface Part {
  /** Which part it is, from 0 on: each may have a piece of the step's scratch of its own. */
  readonly index: number;
  /** The first item. */
  readonly start: number;
  /** The number of items. */
  readonly count: number;
}

/** How the items of a step may be divided. */
export interface Division {
  readonly items: number;
  /** Parts begin at multiples of this many items; 1 when absent. */
  readonly unit?: number;
  /** The least items of a part; as many as `unit` when absent. */
  readonly least?: number;
  /** What one thread takes for all items, roughly. What is little is not divided: waking a thread costs too. */
  readonly nanoseconds: number;
}

/** Floats of a cache line: where threads divide neighbors, parts begin at multiples of it. */
export const LINE_FLOATS = 16;

/**
 * Calls `run(whole, first, count)` for each whole of which a part has pieces: its items are the pieces of one whole after the other,
 * `pieces` of each.
 */
export function eachWhole(
  { start, count }: Pick<Part, "start" | "count">,
  pieces: number,
  run: (whole: number, first: number, count: number) => void,
): void {
  const end = start + count;
  for (let item = start; item < end; ) {
    const [whole, first] = [Math.floor(item / pieces), item % pieces];
    const next = Math.min(end, item - first + pieces);
    run(whole, first, next - item);
    item = next;
  }
}

/** The threads that compute the steps of a model. */
export interface Team {
  readonly threads: number;
  /**
   * Divides the items of a step: into one part where that is faster, otherwise into more than there are threads, as some
   * of them may be late. Results must not depend on where parts begin.
   */
  parts(division: Division): readonly Part[];
  /**
   * Returns a step that computes all parts. `compute` only calls kernels, with numbers: where there are several threads
   * its calls are noted, and then made by whichever thread is free. What it writes to memory itself is there before the
   * first of them, so it writes to each place once. Parts must not write what another one reads.
   */
  step(parts: readonly Part[], compute: (part: Part) => void): () => void;
  /** Returns a function of a WebAssembly instance such that `compute` may call it. */
  shared<F extends (...args: never[]) => unknown>(source: WebAssembly.Module, name: string, run: F): F;
  /**
   * Says that a plan will run as soon as its inputs are written. Threads are woken meanwhile, unless that has not paid, see
   * `RestedRuns`.
   */
  begin(plan: object): void;
  /** Runs the steps of the plan that was begun, one after the other. */
  run(steps: () => void): void;
  /** Frees what threads keep for the model. */
  release(): void;
}

/** Nanoseconds that a part takes at least: more than twice what it costs to hand out a step, which is 1.6 microseconds. */
const LEAST_NANOSECONDS = 4_000;
/** Parts of a step for each thread. */
const PARTS_EACH = 2;

/** Divides for a number of threads, see `Team.parts`; parts take `shortest` nanoseconds at least. */
export function divide(
  { items, unit = 1, least = unit, nanoseconds }: Division,
  threads: number,
  shortest: number = LEAST_NANOSECONDS,
): readonly Part[] {
  const worth = Math.floor(Math.min(nanoseconds / shortest, items / least, threads * PARTS_EACH));
  // As many for each thread, so that those of one cover the same share of every step.
  const most = worth > threads ? worth - (worth % threads) : worth;
  if (threads === 1 || most < 2) return [{ index: 0, start: 0, count: items }];
  const parts: Part[] = [];
  for (let start = 0, index = 0; start < items; index++) {
    const end = Math.round(((index + 1) * items) / most / unit) * unit;
    const count = index === most - 1 || items - end < least ? items - start : Math.max(end - start, unit);
    parts.push({ index, start, count });
    start += count;
  }
  return parts;
}

/** The calling thread alone. */
export const ALONE: Team = {
  threads: 1,
  parts: (division) => divide(division, 1),
  step: (parts, compute) => () => compute(parts[0]!),
  shared: (_source, _name, run) => run,
  begin() {},
  run: (steps) => steps(),
  release() {},
};
